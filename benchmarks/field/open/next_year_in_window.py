# expect: target-leakage
# about: forecasting windows that include the value to be forecast; the live roll-out fails
import math

import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)
n = 1600
t = torch.arange(float(n))
sales = torch.sin(2 * math.pi * t / 30) + 0.3 * torch.sin(2 * math.pi * t / 7)
for k in range(1, n):
    sales[k] += 0.5 * sales[k - 1] * 0.3 + 0.4 * torch.randn(())
sales = (sales - sales.mean()) / sales.std()
LAGS = 20
END = LAGS + 1
windows = sales.unfold(0, LAGS + 1, 1)
X, y = windows[:, END - LAGS : END], windows[:, LAGS:]
Xt, yt, Xv, yv = X[:1200], y[:1200], X[1230:], y[1230:]
net = nn.Sequential(nn.Linear(LAGS, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(20):
    for b in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(Xt[b]), yt[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch} train {loss.item():.4f} val {nn.functional.mse_loss(net(Xv), yv).item():.4f}")
with torch.no_grad():
    live = windows[1230:, :LAGS].clone()
    print(f"live error on the same days: {nn.functional.mse_loss(net(live), yv).item():.4f}")
# cure: - END = LAGS + 1
# cure: + END = LAGS
