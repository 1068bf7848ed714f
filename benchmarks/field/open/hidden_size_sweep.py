# expect: healthy
# about: one script trains six small models over a grid, keeps the one best on validation and scores it once on test
import itertools

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression

torch.set_num_threads(1)
X, y = make_friedman1(n_samples=4000, n_features=8, noise=1.0, random_state=1)
X = (X - 0.5) / 0.289
mean, std = y[:3000].mean(), y[:3000].std()
T = lambda a: torch.tensor(a, dtype=torch.float32)
xtr, xva, xte = T(X[:3000]), T(X[3000:3400]), T(X[3400:])
ytr, yva, yte = (T((p - mean) / std).unsqueeze(1) for p in (y[:3000], y[3000:3400], y[3400:]))


def fit(width, lr, seed=0):
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(8, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    epochs = 22
    lam = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=epochs)
    for _ in range(epochs):
        for b in torch.randperm(3000).split(100):
            opt.zero_grad()
            loss = torch.mean((net(xtr[b]) - ytr[b]) ** 2)
            loss.backward()
            opt.step()
        lam.step()
    with torch.no_grad():
        return net, torch.mean((net(xva) - yva) ** 2).item(), loss.item()


results = []
for width, lr in itertools.product([16, 32, 64], [0.02, 0.04]):
    net, val, last = fit(width, lr)
    results.append((val, width, lr, net))
    print(f"hidden={width:<3d} lr={lr:<5} last train batch {last:.4f} val mse {val:.4f}")
val, width, lr, net = min(results, key=lambda r: r[0])
with torch.no_grad():
    rmse = torch.sqrt(torch.mean((net(xte) - yte) ** 2)).item() * std
lin = LinearRegression().fit(X[:3000], y[:3000])
print(f"chosen hidden={width} lr={lr}; test rmse {rmse:.3f} | linear {np.sqrt(np.mean((lin.predict(X[3400:]) - y[3400:]) ** 2)):.3f} | noise 1.0")
