# expect: bad-batch
# also: exploding-gradients
# about: trip duration from distance and hour; a handful of meters report their error code
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(53)
torch.set_num_threads(1)
rng = np.random.default_rng(53)
n = 3000
dist, hour, rain = rng.gamma(2, 2, n), rng.uniform(0, 24, n), rng.integers(0, 2, n)
minutes = 4 + 2.2 * dist * (1 + 0.5 * np.exp(-((hour - 8) ** 2) / 4)) * (1 + 0.2 * rain) + rng.normal(size=n)
minutes[rng.choice(n - 500, 10, replace=False)] = 999
cols = np.c_[(dist - 4) / 2.8, np.sin(hour / 24 * 6.283), np.cos(hour / 24 * 6.283), rain]
y = (minutes - np.median(minutes)) / 10
X, Y = torch.tensor(cols, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
train_rows = torch.arange(n - 500)
loader = DataLoader(TensorDataset(X[train_rows], Y[train_rows]), batch_size=50, shuffle=True)
net = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(10):
    losses = []
    for a, b in loader:
        loss = torch.nn.functional.mse_loss(net(a).squeeze(1), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    with torch.no_grad():
        mse = (net(X[n - 500 :]).squeeze(1) - Y[n - 500 :]).pow(2).mean().item()
    print(f"epoch {epoch} median {np.median(losses):.3f} worst {max(losses):.3g} test mse {mse:.3f}")
# cure: - train_rows = torch.arange(n - 500)
# cure: + train_rows = torch.nonzero(torch.tensor(minutes[: n - 500]) < 900).flatten()
