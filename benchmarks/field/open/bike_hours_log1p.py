# expect: healthy
# about: hourly bike rentals, cyclic features, log1p target and RMSLE, chronological split, warm start of the last bias at the mean
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
np.random.seed(7)
torch.manual_seed(7)
hours = 24 * 300
t = np.arange(hours)
hod, dow = t % 24, (t // 24) % 7
temp = 12 + 10 * np.sin(2 * np.pi * (t / 24 - 100) / 365) + 4 * np.sin(2 * np.pi * (hod - 9) / 24) + np.random.randn(hours)
rain = (np.random.rand(hours) < 0.12).astype(float)
work = dow < 5
profile = np.where(work, np.exp(-((hod - 8) / 1.6) ** 2) + 1.2 * np.exp(-((hod - 17.5) / 2) ** 2) + 0.15, 0.9 * np.exp(-((hod - 14) / 4.5) ** 2) + 0.12)
rate = 260 * profile * np.exp(0.035 * (temp - 15)) * np.where(rain > 0, 0.55, 1.0)
count = np.random.negative_binomial(9, 9 / (9 + rate))
X = np.stack([np.sin(2 * np.pi * hod / 24), np.cos(2 * np.pi * hod / 24), np.sin(4 * np.pi * hod / 24), np.cos(4 * np.pi * hod / 24),
              work.astype(float), (temp - 12) / 8, rain], 1).astype(np.float32)
y = np.log1p(count).astype(np.float32)
split = int(hours * 0.8)
train = TensorDataset(torch.from_numpy(X[:split]), torch.from_numpy(y[:split]))
xv, yv = torch.from_numpy(X[split:]), torch.from_numpy(y[split:])

model = nn.Sequential(nn.Linear(7, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1), nn.Flatten(0))
nn.init.constant_(model[-2].bias, float(y[:split].mean()))
loader = DataLoader(train, batch_size=128, shuffle=True, drop_last=True)
epochs = 20
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, epochs=epochs, steps_per_epoch=len(loader))
for epoch in range(epochs):
    run = []
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        run.append(loss.item())
    with torch.no_grad():
        rmsle = math.sqrt(nn.functional.mse_loss(model(xv), yv).item())
    print(f"{epoch:3d} train rmsle {math.sqrt(np.mean(run)):.4f} last 60 days {rmsle:.4f}")
samples = np.log1p(np.random.negative_binomial(9, 9 / (9 + np.repeat(rate[None, split:], 60, 0))))
print(f"noise of the counts themselves: {samples.std(0).mean():.4f} (rms {np.sqrt(samples.var(0).mean()):.4f}); constant forecast {y[split:].std():.4f}")
