# expect: lr-decays-too-soon
# also: lr-too-low,undertrained
"""Multi-task net: digit class and parity and total ink."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(90)
d = load_digits()
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
digit = torch.tensor(d.target)
parity = (digit % 2).float()
ink = X.sum(1)
ink = (ink - ink.mean()) / ink.std()
perm = torch.randperm(len(X))
tr, va = perm[:1400], perm[1400:]
loader = DataLoader(TensorDataset(X[tr], digit[tr], parity[tr], ink[tr]), batch_size=32, shuffle=True)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU())
        self.cls, self.par, self.ink = nn.Linear(64, 10), nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.cls(h), self.par(h).squeeze(1), self.ink(h).squeeze(1)


def losses(out, c, p, i):
    return F.cross_entropy(out[0], c) + 0.5 * F.binary_cross_entropy_with_logits(out[1], p) + 0.5 * F.mse_loss(out[2], i)


model = MultiTask()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = StepLR(optimizer, step_size=10, gamma=0.5)

for epoch in range(30):
    model.train()
    total = 0.0
    for xb, c, p, i in loader:
        loss = losses(model(xb), c, p, i)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(X[va])
        vl = losses(out, digit[va], parity[va], ink[va]).item()
        acc = (out[0].argmax(1) == digit[va]).float().mean().item()
    if epoch % 3 == 0 or epoch == 29:
        print(f"epoch {epoch:2d} train {total/len(loader):.4f} val {vl:.4f} digit acc {acc:.4f}")
