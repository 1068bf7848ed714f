# expect: weight-decay-too-strong
from dataclasses import dataclass
import torch
from torch import nn
from sklearn.datasets import load_digits

@dataclass
class Config:
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 0.1
    epochs: int = 15
    batch: int = 32
    seed: int = 4

cfg = Config()
torch.manual_seed(cfg.seed)
d = load_digits()
x = torch.tensor(d.data).float() / 16 - 0.3
y = torch.tensor(d.target)
p = torch.randperm(len(x))
tr, te = p[:1300], p[1300:]
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay)
for ep in range(cfg.epochs):
    tot = 0
    for b in tr[torch.randperm(len(tr))].split(cfg.batch):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() * len(b)
    with torch.no_grad():
        acc = (net(x[te]).argmax(1) == y[te]).float().mean().item()
    print(f"{ep}: loss {tot/len(tr):.4f} acc {acc:.4f}")
