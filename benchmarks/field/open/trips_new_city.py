# expect: train-val-mismatch
# about: bike trips regressed from weather; file sorted by city, last fifth kept for validation
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler

torch.manual_seed(59)
torch.set_num_threads(1)
rng = np.random.default_rng(59)
n = 4000
city = np.sort(rng.integers(0, 5, n))
temp = rng.normal(12 + 5 * city, 4)
wind = rng.gamma(2, 2, n)
weekend = rng.integers(0, 2, n)
slope = np.array([1.0, 1.1, 0.9, 1.0, -1.4])[city]
trips = 30 + slope * temp - 1.5 * wind + 6 * weekend + 12 * (city == 4) + rng.normal(size=n)
X = np.c_[temp, wind, weekend, city == 0, city == 1, city == 2, city == 3, city == 4].astype(np.float32)
rows = np.arange(n)
tr, va = rows[: int(0.8 * n)], rows[int(0.8 * n) :]
sx, sy = StandardScaler().fit(X[tr]), StandardScaler().fit(trips[tr, None])
to = lambda s, a: torch.tensor(s.transform(a), dtype=torch.float32)
xt, yt, xv, yv = to(sx, X[tr]), to(sy, trips[tr, None]), to(sx, X[va]), to(sy, trips[va, None])
net = torch.nn.Sequential(torch.nn.Linear(8, 48), torch.nn.ReLU(), torch.nn.Linear(48, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
mse = torch.nn.MSELoss()
for epoch in range(20):
    tot = 0.0
    for b in torch.randperm(len(xt)).split(64):
        opt.zero_grad()
        loss = mse(net(xt[b]), yt[b])
        loss.backward()
        opt.step()
        tot += loss.item()
    if epoch % 2:
        with torch.no_grad():
            print(f"epoch {epoch + 1} train mse {tot / 50:.4f} val mse {mse(net(xv), yv).item():.4f}")
# cure: - rows = np.arange(n)
# cure: + rows = rng.permutation(n)
