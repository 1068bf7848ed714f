# expect: healthy
# about: Poisson regression of hourly counts, loss in raw units is strongly negative, deviance close to the noise floor
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(0)
torch.manual_seed(0)
n = 4000
hour, temp, rain, weekend = rng.integers(0, 24, n), rng.normal(15, 8, n), rng.random(n) < 0.2, rng.random(n) < 2 / 7
rate = np.exp(3.2 + 0.8 * np.exp(-((hour - 8) / 2.0) ** 2) * ~weekend + 0.9 * np.exp(-((hour - 17) / 3.0) ** 2) + 0.03 * (temp - 15) - 0.7 * rain)
count = rng.poisson(rate)
X = np.stack([np.sin(hour * 2 * np.pi / 24), np.cos(hour * 2 * np.pi / 24), np.sin(hour * 4 * np.pi / 24), np.cos(hour * 4 * np.pi / 24), (temp - 15) / 8, rain, weekend], 1)
X, y, rate = torch.tensor(X, dtype=torch.float32), torch.tensor(count, dtype=torch.float32), torch.tensor(rate, dtype=torch.float32)
net = nn.Sequential(nn.Linear(7, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))
with torch.no_grad():
    net[-1].bias.fill_(y.mean().log())
criterion = nn.PoissonNLLLoss(log_input=True)
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)


def deviance(mu, y):
    return 2 * (torch.xlogy(y, y / mu) - (y - mu)).mean().item()


for epoch in range(20):
    run = 0
    for b in torch.randperm(3200).split(64):
        loss = criterion(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 50
    sched.step()
    if epoch % 3 == 1:
        with torch.no_grad():
            mu = net(X[3200:]).squeeze(1).exp()
        print(f"epoch {epoch:2d} poisson nll {run:.3f} test deviance {deviance(mu, y[3200:]):.3f} true-rate deviance {deviance(rate[3200:], y[3200:]):.3f} constant {deviance(y[:3200].mean(), y[3200:]):.3f}")
