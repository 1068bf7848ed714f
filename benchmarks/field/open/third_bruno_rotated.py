# expect: healthy
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


class CFG:
    seed = 2024
    bs = 64
    ft_bs = 8
    lr = 2e-3
    ft_lr = 5e-4


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 16, 10))


def run_epoch(model, loader, opt):
    tot = n = 0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(x)
        n += len(x)
    return tot / n


def score(model, x, y):
    mode = model.training
    model.eval()
    with torch.inference_mode():
        r = (model(x).argmax(1) == y).float().mean().item()
    model.train(mode)
    return r


seed_everything(CFG.seed)
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = torch.tensor(d.target)
p = torch.randperm(len(x))
a, b, te = p[:900], p[900:1100], p[1100:]
model = build()
opt = torch.optim.Adam(model.parameters(), lr=CFG.lr)
model.train()
for e in range(6):
    print("stage 1", e, run_epoch(model, DataLoader(TensorDataset(x[a], y[a]), CFG.bs, shuffle=True, drop_last=True), opt), score(model, x[te], y[te]))

# rotated digits
xr = torch.rot90(x, 1, (2, 3))
print("rotated before", score(model, xr[te], y[te]))
opt = torch.optim.Adam(model.parameters(), lr=CFG.ft_lr)
model.eval()
for e in range(20):
    l = run_epoch(model, DataLoader(TensorDataset(xr[b], y[b]), CFG.ft_bs, shuffle=True), opt)
    print("stage 2", e, l, score(model, xr[te], y[te]))
