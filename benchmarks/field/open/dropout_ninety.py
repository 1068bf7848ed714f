# expect: over-regularized
# about: keep probability passed as the drop probability: Dropout(0.9) after each layer
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
keep_prob = 0.9


class Net(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 10))

    def forward(self, x):
        return self.net(x)


d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
model = Net(keep_prob)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(18):
    model.train()
    s = 0
    for b in tr[torch.randperm(1400)].split(35):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 40
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch} train {s:.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - model = Net(keep_prob)
# cure: + model = Net(1 - keep_prob)
