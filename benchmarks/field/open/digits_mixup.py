# expect: healthy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

torch.manual_seed(44)
np.random.seed(44)
d = load_digits()
Xtr, Xva, ytr, yva = train_test_split(d.images[:, None] / 16, d.target, test_size=0.25, random_state=44)
Xtr, Xva = torch.tensor(Xtr).float(), torch.tensor(Xva).float()
ytr, yva = torch.tensor(ytr), torch.tensor(yva)


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(),
                               nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return F.relu(x + self.a(x))


net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), ResBlock(16), nn.MaxPool2d(2), ResBlock(16),
                    nn.Dropout2d(0.3), nn.Flatten(), nn.Linear(256, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=8, T_mult=1)


def mixup(x, y, alpha=1.0):
    lam = np.random.beta(alpha, alpha)
    p = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[p], y, y[p], lam


for epoch in range(32):
    net.train()
    tot = 0
    for idx in torch.randperm(len(Xtr)).split(64):
        xm, ya, yb, lam = mixup(Xtr[idx], ytr[idx])
        out = net(xm)
        loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 22
    lr_now = opt.param_groups[0]["lr"]
    sched.step()
    net.eval()
    with torch.no_grad():
        o = net(Xva)
    print(f"epoch {epoch:2d} lr {lr_now:.4f} mixup loss {tot:.3f} val loss {F.cross_entropy(o, yva):.3f} val acc {(o.argmax(1) == yva).float().mean():.3f}")
k = KNeighborsClassifier(3).fit(Xtr.flatten(1).numpy(), ytr.numpy())
print("knn", k.score(Xva.flatten(1).numpy(), yva.numpy()))
