# expect: unscaled-inputs
# about: click prediction with a unix timestamp among the dense features
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(6)
torch.manual_seed(6)
torch.set_num_threads(1)
n = 3000
age = rng.normal(35, 10, n)
ts = 1.6e9 + rng.uniform(0, 3e7, n)
dwell = rng.exponential(1.0, n)
price = rng.lognormal(3, 1, n)
click = ((dwell - 1) + 0.08 * (age - 35) + 0.3 * rng.standard_normal(n) > 0).astype(np.float32)
dense = np.stack([age, ts, dwell, price], 1)
mean, std = np.zeros(4), np.ones(4)
dense = torch.tensor((dense - mean) / std, dtype=torch.float32)
label = torch.tensor(click)


class CTR(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.final = nn.Linear(16 + 4, 1)

    def forward(self, d):
        return self.final(torch.cat([self.deep(d), d], 1)).squeeze(1)


ctr = CTR()
optimizer = torch.optim.Adagrad(ctr.parameters(), lr=0.02)
lossfn = nn.BCEWithLogitsLoss()
for epoch in range(8):
    s = 0.0
    for b in torch.randperm(2400).split(60):
        optimizer.zero_grad()
        loss = lossfn(ctr(dense[b]), label[b])
        loss.backward()
        optimizer.step()
        s += loss.item() / 40
    with torch.no_grad():
        o = ctr(dense[2400:])
    print(f"epoch {epoch} logloss {s:.4f} val logloss {lossfn(o, label[2400:]).item():.4f} acc {((o > 0) == (label[2400:] > 0.5)).float().mean():.3f}")
# cure: - mean, std = np.zeros(4), np.ones(4)
# cure: + mean, std = dense.mean(0), dense.std(0)
