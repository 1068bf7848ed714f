# expect: healthy
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.linear_model import Ridge, LogisticRegression

@dataclass
class Config:
    n: int = 3000
    dim: int = 12
    hidden: int = 96
    batch: int = 50
    epochs: int = 25
    lr: float = 2e-3
    seed: int = 7
    w_price: float = 1.0
    w_kind: float = 100.0
    w_ratio: float = 2000.0

cfg = Config()
torch.manual_seed(cfg.seed)
x = torch.randn(cfg.n, cfg.dim)
price = 20 * torch.sin(x[:, 0]) + 10 * x[:, 1] * x[:, 2] + torch.randn(cfg.n)
kind = (x[:, 3] ** 2 + x[:, 4] > 1).long() + (x[:, 5] * x[:, 3] > 0.5).long()
ratio = 0.1 * torch.sigmoid(x[:, 6] - x[:, 7] * x[:, 1])

class MultiNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(c.dim, c.hidden), nn.ReLU(), nn.Linear(c.hidden, c.hidden), nn.ReLU())
        self.price, self.kind, self.ratio = nn.Linear(c.hidden, 1), nn.Linear(c.hidden, 3), nn.Linear(c.hidden, 1)
    def forward(self, x):
        h = self.body(x)
        return self.price(h)[:, 0], self.kind(h), self.ratio(h)[:, 0]

tr, te = slice(0, 2400), slice(2400, None)
net = MultiNet(cfg)
opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
sch = torch.optim.lr_scheduler.MultiStepLR(opt, [15, 21], 0.3)
for ep in range(cfg.epochs):
    order = torch.randperm(2400)
    tot = 0.0
    for b in order.split(cfg.batch):
        p, k, r = net(x[b])
        loss = torch.zeros(())
        loss += cfg.w_price * F.mse_loss(p, price[b], reduction="sum") / len(b)
        loss += cfg.w_kind * F.cross_entropy(k, kind[b], reduction="sum") / len(b)
        loss += cfg.w_ratio * F.mse_loss(r * 0.1, ratio[b], reduction="sum") / len(b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sch.step()
    if ep % 4 == 0 or ep == cfg.epochs - 1:
        with torch.no_grad():
            p, k, r = net(x[te])
            r2 = lambda a, b: (1 - ((a - b) ** 2).mean() / b.var()).item()
            print(ep, f"loss {tot/48:.2f} price R2 {r2(p, price[te]):.3f} kind acc {(k.argmax(1)==kind[te]).float().mean():.3f} ratio R2 {r2(r*0.1, ratio[te]):.3f}")
print("linear: R2", Ridge().fit(x[tr], price[tr]).score(x[te], price[te]), "acc", LogisticRegression().fit(x[tr], kind[tr]).score(x[te], kind[te]))
print(f"net: price R2 {r2(p, price[te]):.3f} kind acc {(k.argmax(1)==kind[te]).float().mean():.3f} ratio R2 {r2(r*0.1, ratio[te]):.3f}")
