# expect: unstable-math
"""Siamese network with a contrastive margin loss on digit pairs."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

torch.manual_seed(15)
d = load_digits()
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
Y = torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, va = perm[:1300], perm[1300:]


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16))

    def forward(self, x):
        return self.net(x)


def distance(a, b):
    return torch.sqrt(((a - b) ** 2).sum(dim=1))


def contrastive(a, b, same, margin=2.0):
    dist = distance(a, b)
    pos = same * dist ** 2
    neg = (1 - same) * torch.clamp(margin - dist, min=0) ** 2
    return (pos + neg).mean()


def sample_pairs(n):
    i = tr[torch.randint(0, len(tr), (n,))]
    j = tr[torch.randint(0, len(tr), (n,))]
    # half of the pairs get a partner of the same class
    for k in range(0, n, 2):
        cand = tr[Y[tr] == Y[i[k]]]
        j[k] = cand[torch.randint(0, len(cand), (1,))]
    return X[i], X[j], (Y[i] == Y[j]).float()


model = Embed()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(1, 1501):
    a, b, same = sample_pairs(64)
    loss = contrastive(model(a), model(b), same)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 0:
        with torch.no_grad():
            za, zv = torch.nan_to_num(model(X[tr])), torch.nan_to_num(model(X[va]))
        knn = KNeighborsClassifier(3).fit(za.numpy(), Y[tr].numpy())
        print(f"step {step} loss {loss.item():.4f} knn acc {knn.score(zv.numpy(), Y[va].numpy()):.3f}")
