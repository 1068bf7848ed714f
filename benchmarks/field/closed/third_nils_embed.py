# expect: healthy
import numpy as np, torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0); torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype("f4")
cut = 1200
Xs, ys = X[:cut], y[:cut]; Xn, yn = X[cut:], y[cut:]
by = [np.flatnonzero(ys == c) for c in range(10)]
f = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16))
emb = lambda a, s=0.: nn.functional.normalize(f(torch.from_numpy(a) + s * torch.randn(a.shape)), dim=1)
opt = torch.optim.Adam(f.parameters(), 1e-3)

def probe(Z, l):
    h = len(Z) // 2
    return KNeighborsClassifier(1).fit(Z[:40], l[:40]).score(Z[h:], l[h:])

print("pixels, test digits:", probe(Xn, yn))
for it in range(1500):
    c = rng.integers(0, 10, 64); d = (c + rng.integers(1, 10, 64)) % 10
    a, p, n = (np.array([rng.choice(by[k]) for k in q]) for q in (c, c, d))
    za, zp, zn = emb(Xs[a], .15), emb(Xs[p], .15), emb(Xs[n], .15)
    h = torch.relu((za - zp).pow(2).sum(1) - (za - zn).pow(2).sum(1) + .8)
    loss = h.sum() / max(1, int((h > 0).sum()))
    opt.zero_grad(); loss.backward(); opt.step()
    if it % 250 == 0: print(it, loss.item(), "active", int((h > 0).sum()))
with torch.no_grad(): print("test digits:", probe(emb(Xn).numpy(), yn), "train digits:", probe(emb(Xs).numpy(), ys))
