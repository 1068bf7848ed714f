# expect: healthy
"""Mostly unpredictable target: R2 can be at most about 0.15."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.linear_model import LinearRegression
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
rng = np.random.default_rng(8)
n = 12000
X = rng.normal(size=(n, 8)).astype("float32")
signal = 0.25 * X[:, 0] + 0.25 * np.sign(X[:, 1]) * np.abs(X[:, 2]) + 0.2 * np.tanh(2 * X[:, 3])
y = (signal + rng.normal(0, 1, n)).astype("float32")
tr, va = slice(0, 9000), slice(9000, n)
train = DataLoader(TensorDataset(torch.tensor(X[tr]), torch.tensor(y[tr])), batch_size=32, shuffle=True)
Xv, yv = torch.tensor(X[va]), torch.tensor(y[va])

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
for ep in range(12):
    model.train()
    ls = []
    for xb, yb in train:
        loss = nn.functional.mse_loss(model(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ls.append(loss.item())
    model.eval()
    with torch.no_grad():
        p = model(Xv).squeeze(1)
        vl = nn.functional.mse_loss(p, yv).item()
    print(f"epoch {ep}: train {np.mean(ls):.4f} (batch sd {np.std(ls):.3f}) val {vl:.4f} R2 {1 - vl / yv.var().item():.4f}")
best = 1 - np.mean((y[va] - signal[va]) ** 2) / y[va].var()
lin = LinearRegression().fit(X[tr], y[tr]).score(X[va], y[va])
print(f"R2 of the true signal {best:.4f}, of linear regression {lin:.4f}")
