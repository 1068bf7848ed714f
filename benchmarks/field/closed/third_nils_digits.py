# expect: over-regularized
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.svm import SVC
torch.manual_seed(0)
X, y = load_digits(return_X_y=True); X = torch.tensor(X / 16).float(); y = torch.tensor(y)
i = torch.randperm(len(X)); tr, te = i[:1300], i[1300:]
q = .9
net = nn.Sequential(nn.Dropout(.5), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(q), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(q), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for ep in range(25):
    net.train(); s = 0
    for b in tr[torch.randperm(1300)].split(32):
        l = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad(); l.backward(); opt.step(); s += l.item() * len(b)
    net.eval()
    with torch.no_grad(): a, t = ((net(X[j]).argmax(1) == y[j]).float().mean().item() for j in (te, tr))
    print(ep, "train loss", s / 1300, "test acc", a, "train acc", t)
print("svc", SVC().fit(X[tr], y[tr]).score(X[te], y[te]))
