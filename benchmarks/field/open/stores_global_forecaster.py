# expect: healthy
# about: one MLP for the daily sales of 40 stores: lags, weekday and promotion one-hots, store embedding; scaled per store, WAPE against last-week naive
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(12)
torch.set_num_threads(1)
rng = np.random.default_rng(12)
STORES, DAYS, LAGS = 40, 420, 14

base = rng.lognormal(5, 0.6, STORES)
weekday = 1 + 0.35 * rng.normal(0, 1, (STORES, 7)).clip(-1.5, 1.5)
promo = rng.random((STORES, DAYS)) < 0.15
lift = rng.uniform(1.2, 1.7, STORES)
trend = 1 + 0.15 * np.sin(2 * np.pi * np.arange(DAYS) / 180 + rng.uniform(0, 6, (STORES, 1)))
mean = base[:, None] * np.abs(weekday[:, np.arange(DAYS) % 7]) * trend * np.where(promo, lift[:, None], 1)
sales = rng.poisson(mean).astype(np.float32)

cut = 340
scale = sales[:, :cut].mean(1, keepdims=True)
scaled = sales / scale


def table(lo, hi):
    rows, store, target = [], [], []
    for t in range(max(lo, LAGS), hi):
        lags = scaled[:, t - LAGS : t]
        wd = np.tile(np.eye(7)[t % 7], (STORES, 1))
        past_promo = promo[:, t - 7].astype(float)[:, None]
        rows.append(np.concatenate([lags, wd, promo[:, t : t + 1], past_promo], 1))
        store.append(np.arange(STORES))
        target.append(scaled[:, t])
    return torch.tensor(np.concatenate(rows)).float(), torch.tensor(np.concatenate(store)), torch.tensor(np.concatenate(target)).float()


class Global(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(STORES, 6)
        self.net = nn.Sequential(nn.Linear(LAGS + 9 + 6, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, s):
        return self.net(torch.cat([x, self.emb(s)], 1)).squeeze(1)


xtr, str_, ytr = table(0, cut)
xte, ste, yte = table(cut, DAYS)
model = Global()
opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-5)
EPOCHS = 22
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=EPOCHS * (len(ytr) // 128 + 1))
huber = nn.SmoothL1Loss(beta=0.3)
for epoch in range(EPOCHS):
    model.train()
    acc = 0.0
    for idx in torch.randperm(len(ytr)).split(128):
        opt.zero_grad()
        loss = huber(model(xtr[idx], str_[idx]), ytr[idx])
        loss.backward()
        opt.step()
        sched.step()
        acc += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        p = model(xte, ste)
    sc = torch.tensor(scale[:, 0])[ste]
    wape = ((p - yte).abs() * sc).sum() / (yte * sc).sum()
    print(f"epoch {epoch + 1:2d} train {acc / len(ytr):.5f} test {huber(p, yte).item():.5f} WAPE {wape.item():.4f}")
naive = ((xte[:, LAGS - 7] - yte).abs() * sc).sum() / (yte * sc).sum()
best = np.abs(mean[:, cut:] - sales[:, cut:]).sum() / sales[:, cut:].sum()
print(f"last-week naive WAPE {naive.item():.4f}, knowing the true mean {best:.4f}")
