# expect: bad-batch
# also: unscaled-inputs
# about: temperature forecast from stations; a few readings carry the logger's -9999 marker and the loss spikes now and then
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
rng = np.random.RandomState(6)
torch.manual_seed(6)
n, s = 2000, 8
base = 12 + 8 * np.sin(np.arange(n) / 30)
stations = base[:, None] + rng.randn(n, s) * 1.5 + rng.randn(s)
tomorrow = np.roll(base, -1) + 0.4 * (stations[:, 0] - stations[:, 3]) + 0.5 * rng.randn(n)
bad = rng.choice(1600, 6, replace=False)
stations[bad, rng.randint(s, size=6)] = -9999.0
X = torch.tensor((stations - 12) / 6, dtype=torch.float32)
y = torch.tensor((tomorrow - 12) / 6, dtype=torch.float32).unsqueeze(1)
train = DataLoader(TensorDataset(X[:1600], y[:1600]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(s, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.8)
step = 0
for epoch in range(12):
    worst = 0.0
    for xb, yb in train:
        loss = nn.functional.mse_loss(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        worst = max(worst, loss.item())
        step += 1
    with torch.no_grad():
        v = nn.functional.mse_loss(model(X[1600:-1]), y[1600:-1]).item()
    print(f"epoch {epoch} step {step} last {loss.item():.4f} max {worst:.4g} val {v:.4f}")
# cure: - X = torch.tensor((stations - 12) / 6, dtype=torch.float32)
# cure: + stations[bad] = np.where(stations[bad] < -100, np.nanmedian(stations, axis=0), stations[bad])
# cure: + X = torch.tensor((stations - 12) / 6, dtype=torch.float32)
