# expect: healthy
import argparse
import torch
import torch.nn as nn
from accelerate import Accelerator
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

ap = argparse.ArgumentParser()
ap.add_argument("--micro", type=int, default=2)
ap.add_argument("--accum", type=int, default=8)
ap.add_argument("--epochs", type=int, default=20)
a = ap.parse_args()

X, y = load_wine(return_X_y=True)
scores = []
for fold, (ti, vi) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)):
    torch.manual_seed(fold)
    sc = StandardScaler().fit(X[ti])
    to = lambda i: (torch.tensor(sc.transform(X[i])).float(), torch.tensor(y[i]))
    acc = Accelerator(cpu=True, gradient_accumulation_steps=a.accum)
    net = nn.Sequential(nn.Linear(13, 24), nn.ReLU(), nn.Linear(24, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    net, opt, dl = acc.prepare(net, opt, DataLoader(TensorDataset(*to(ti)), a.micro, shuffle=True))
    for ep in range(a.epochs):
        for xb, yb in dl:
            with acc.accumulate(net):
                loss = nn.functional.cross_entropy(net(xb), yb)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
    xv, yv = to(vi)
    net.eval()
    with torch.no_grad():
        scores.append((net(xv).argmax(1) == yv).float().mean().item())
    acc.print(f"fold {fold}: {scores[-1]:.4f}")
print("mean", sum(scores) / len(scores))
