# expect: unstable-math
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(55)
d = load_digits()
X = torch.tensor(d.data / 16, dtype=torch.float32)
Y = torch.tensor(d.target)
order = torch.randperm(len(Y))
Xtr, Ytr, Xte, Yte = X[order[:1200]], Y[order[:1200]], X[order[1200:]], Y[order[1200:]]
by_class = [torch.where(Ytr == c)[0] for c in range(10)]


def pairs(n):
    i = torch.randint(len(Ytr), (n,))
    same = torch.rand(n) < 0.5
    j = torch.randint(len(Ytr), (n,))
    for k in range(n):
        if same[k]:
            pool = by_class[Ytr[i[k]]]
            j[k] = pool[torch.randint(len(pool), (1,))]
    return Xtr[i], Xtr[j], (Ytr[i] == Ytr[j]).float()


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 12))

    def forward(self, x):
        return self.f(x)


def contrastive(a, b, same, margin=1.5):
    dist = torch.sqrt(((a - b) ** 2).sum(1))
    return (same * dist ** 2 + (1 - same) * F.relu(margin - dist) ** 2).mean()


tower = Tower()
optimizer = torch.optim.Adam(tower.parameters(), lr=2e-3)
for step in range(600):
    a, b, s = pairs(64)
    loss = contrastive(tower(a), tower(b), s)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    centers = torch.stack([tower(Xtr[c]).mean(0) for c in by_class])
    guess = torch.cdist(tower(Xte), centers).argmin(1)
    acc = (guess == Yte).float().mean().item()
print("nearest centre accuracy: %.3f" % acc)
