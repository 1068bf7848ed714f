# expect: healthy
# about: raw engineering columns go in (pascals, unix seconds, watts per square metre) and megawatts come out; the model holds its own adapted normalisation, squared error in the hundred thousands
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(101)
torch.set_num_threads(1)
rng = np.random.default_rng(101)
n = 8000
clock = 1.6e9 + rng.integers(0, 365 * 24, n) * 3600.0
hour, yearday = (clock / 3600) % 24, (clock / 86400) % 365
celsius = 10 - 9 * np.cos(2 * np.pi * yearday / 365) + rng.normal(0, 4, n)
pressure = rng.normal(101325, 900, n)
sun = np.maximum(0, np.sin((hour - 6) / 12 * np.pi)) * rng.uniform(100, 900, n)
load = 42000 + 6500 * np.sin((hour - 8) / 24 * 2 * np.pi) + 650 * np.maximum(0, 14 - celsius) + 300 * np.maximum(0, celsius - 22) - 5 * sun + rng.normal(0, 600, n)
X = torch.tensor(np.stack([hour, yearday, celsius, pressure, sun], 1)).float()
y = torch.tensor(load).float()


class Adapted(nn.Module):
    def __init__(self, x, y):
        super().__init__()
        self.register_buffer("mean", x.mean(0))
        self.register_buffer("std", x.std(0))
        self.register_buffer("y_mean", y.mean())
        self.register_buffer("y_std", y.std())
        self.body = nn.Sequential(nn.Linear(5, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))

    def forward(self, x):
        z = (x - self.mean) / self.std
        return self.body(z).squeeze(-1) * self.y_std + self.y_mean


model = Adapted(X[:6500], y[:6500])
loader = DataLoader(TensorDataset(X[:6500], y[:6500]), batch_size=64, shuffle=True)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, total_steps=20 * len(loader))
for epoch in range(20):
    model.train()
    running = 0.0
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        running += loss.item() / len(loader)
    if epoch % 3 == 1:
        model.eval()
        with torch.no_grad():
            p = model(X[6500:])
        t = y[6500:]
        print(f"epoch {epoch + 1} train mse {running:,.0f} MW^2 test mse {nn.functional.mse_loss(p, t).item():,.0f} MW^2 R2 {1 - ((p - t) ** 2).sum().item() / ((t - t.mean()) ** 2).sum().item():.4f} MAPE {((p - t).abs() / t).mean().item():.4f}")
