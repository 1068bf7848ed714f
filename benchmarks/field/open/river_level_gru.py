# expect: healthy
# about: next-day river level from a month of rain and level, GRU on windows split by time, compared with persistence
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(21)
torch.set_num_threads(1)
rng = np.random.default_rng(21)

days = 2600
season = 1 + 0.6 * np.sin(2 * np.pi * np.arange(days) / 365)
rain = rng.gamma(0.5, 6, days) * season * (rng.random(days) < 0.45)
soil, level = np.zeros(days), np.zeros(days)
for t in range(1, days):
    soil[t] = 0.93 * soil[t - 1] + rain[t - 1]
    runoff = rain[t - 1] * (0.03 + 0.9 / (1 + np.exp(-(soil[t] - 35) / 6))) 
    level[t] = 0.8 * level[t - 1] + 0.05 * runoff + 0.01 * soil[t] + rng.normal(0, 0.02)

split = 2000
feats = np.stack([rain, level], 1).astype(np.float32)
mean, std = feats[:split].mean(0), feats[:split].std(0)
feats = (feats - mean) / std
WIN = 24


def windows(lo, hi):
    xs = np.stack([feats[t - WIN : t] for t in range(lo + WIN, hi)])
    ys = np.stack([feats[t, 1] for t in range(lo + WIN, hi)])
    return TensorDataset(torch.from_numpy(xs), torch.from_numpy(ys))


train, test = windows(0, split), windows(split, days)


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.gru(x)
        return x[:, -1, 1] + self.head(h[:, -1]).squeeze(-1)


model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)
loader = DataLoader(train, batch_size=64, shuffle=True)
xt, yt = test.tensors
for epoch in range(24):
    model.train()
    losses = []
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        losses.append(loss.item())
    sched.step()
    if epoch % 4 == 3:
        model.eval()
        with torch.no_grad():
            p = model(xt)
        print(f"epoch {epoch + 1}: train mse {np.mean(losses):.4f} test mse {nn.functional.mse_loss(p, yt).item():.4f}")
naive = ((xt[:, -1, 1] - yt) ** 2).mean().item()
print(f"persistence mse {naive:.4f}; model R2 {1 - ((p - yt) ** 2).sum().item() / ((yt - yt.mean()) ** 2).sum().item():.4f}")
