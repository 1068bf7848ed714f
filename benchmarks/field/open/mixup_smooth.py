# expect: healthy
# about: mixup + label smoothing: training loss stays high above validation by design
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

SEED = 2023
np.random.seed(SEED); torch.manual_seed(SEED)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X = torch.from_numpy((X - X.mean()) / X.std()).float()
y = torch.from_numpy(y)
idx = np.random.permutation(len(X))
trn, val = idx[:1450], idx[1450:]

net = nn.Sequential(nn.Linear(64, 200), nn.BatchNorm1d(200), nn.ReLU(), nn.Linear(200, 200), nn.BatchNorm1d(200), nn.ReLU(), nn.Linear(200, 10))
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
sch = torch.optim.lr_scheduler.MultiStepLR(opt, [12, 18], gamma=0.1)


def mixup(x, y, alpha=0.4):
    lam = np.random.beta(alpha, alpha)
    j = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[j], y, y[j], lam


for ep in range(22):
    net.train()
    tl = []
    for b in torch.from_numpy(np.random.permutation(trn)).split(64):
        xm, ya, yb, lam = mixup(X[b], y[b])
        out = net(xm)
        loss = lam * loss_fn(out, ya) + (1 - lam) * loss_fn(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl.append(loss.item())
    sch.step()
    net.eval()
    with torch.no_grad():
        o = net(X[val])
        vl, va = loss_fn(o, y[val]).item(), (o.argmax(1) == y[val]).float().mean().item()
    print(f"[{ep}] trn {np.mean(tl):.4f} val {vl:.4f} acc {va:.4f}")
