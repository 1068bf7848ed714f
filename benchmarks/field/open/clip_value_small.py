# expect: clip-too-tight
# about: clip_grad_value_ at 1e-4 left over from a debugging session, SGD with momentum
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(8, 12)
        self.f = nn.Sequential(nn.Linear(72, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, x):
        return self.f(self.e(x).flatten(1))


x_all = torch.randint(0, 8, (3000, 6))
y_all = (x_all[:, 0] + x_all[:, 3] > 7).long()
net = Bag()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
CLIP = 1e-4
for epoch in range(8):
    for b in torch.randperm(2400).split(40):
        loss = nn.functional.cross_entropy(net(x_all[b]), y_all[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), CLIP)
        opt.step()
    with torch.no_grad():
        o = net(x_all[2400:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y_all[2400:]).item():.4f} acc {(o.argmax(1) == y_all[2400:]).float().mean().item():.3f}")
# cure: - CLIP = 1e-4
# cure: + CLIP = 1.0
