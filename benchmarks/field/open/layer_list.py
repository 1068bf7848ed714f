# expect: params-not-in-optimizer
# about: the main blocks live in a plain Python list, so parameters() does not see them
import torch
from torch import nn
from sklearn.datasets import load_digits


class DeepNet(nn.Module):
    def __init__(self, n_in=64, width=24, depth=3, n_out=10):
        super().__init__()
        self.first = nn.Linear(n_in, 6)
        sizes = [6] + [width] * depth
        self.blocks = [nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in zip(sizes, sizes[1:])]
        self.last = nn.Linear(width, n_out)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(x))
tr, va = p[:1400], p[1400:]
model = DeepNet()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(15):
    model.train()
    for b in tr[torch.randperm(1400)].split(32):
        loss = nn.functional.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(x[va])
    print(f"epoch {epoch}: {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - self.blocks = [nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in zip(sizes, sizes[1:])]
# cure: + self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in zip(sizes, sizes[1:])])
