# expect: unscaled-targets
# also: lr-too-high
# about: length and cost of stay as two regression heads, SGD, costs in plain currency
import numpy as np
import torch
from torch import nn

torch.manual_seed(52)
torch.set_num_threads(1)
rng = np.random.default_rng(52)
n = 2500
x = rng.normal(size=(n, 7)).astype(np.float32)
days = 5 + 2 * x[:, 0] + np.abs(x[:, 1]) + 0.3 * rng.normal(size=n)
cost = 8000 + 2500 * x[:, 0] + 1500 * x[:, 2] * x[:, 3] + 300 * rng.normal(size=n)
targets = np.stack([days, cost], 1).astype(np.float32)
m, s = targets[:2000].mean(0), targets[:2000].std(0)
y = torch.from_numpy(targets)
x = torch.from_numpy(x)
net = nn.Sequential(nn.Linear(7, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(12):
    tot = 0.0
    for b in torch.randperm(2000).split(40):
        loss = nn.functional.smooth_l1_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        r = net(x[2000:]) - y[2000:]
        r2 = 1 - (r**2).mean(0) / y[2000:].var(0)
    print(f"epoch {epoch + 1:2d} loss {tot / 50:.3f} R2 days {r2[0]:.3f} cost {r2[1]:.3f}")
# cure: - y = torch.from_numpy(targets)
# cure: + y = torch.from_numpy((targets - m) / s)
