# expect: unscaled-inputs
# about: prototypical risk-group embedding on raw application columns (income, age, ratio, months)
import numpy as np
import torch
from torch import nn

torch.manual_seed(49)
torch.set_num_threads(1)
rng = np.random.default_rng(49)


def applications(n):
    income = rng.lognormal(10.4, 0.5, n)
    age = rng.uniform(20, 70, n)
    ratio = rng.uniform(0, 1, n)
    months = rng.integers(0, 120, n)
    late = rng.poisson(0.6, n)
    score = 2.0 * (ratio - 0.5) + 0.5 * (late - 0.6) - 0.012 * (months - 60) - 0.15 * (np.log(income) - 10.4)
    group = np.digitize(score + 0.1 * rng.normal(size=n), [-0.5, 0.0, 0.5])
    return np.c_[income, age, ratio, months, late].astype(np.float32), group


raw_x, g = applications(4000)
mean, std = raw_x[:3200].mean(0), raw_x[:3200].std(0)
x = torch.from_numpy(raw_x)
g = torch.from_numpy(g)
embed = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 8))
proto = nn.Parameter(torch.randn(4, 8))
opt = torch.optim.Adam([*embed.parameters(), proto], lr=2e-3)


def distances(rows):
    return -(embed(x[rows])[:, None] - proto).pow(2).sum(-1)


for epoch in range(1, 16):
    for b in torch.randperm(3200).split(64):
        loss = nn.functional.cross_entropy(distances(b), g[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        d = distances(torch.arange(3200, 4000))
    if epoch % 3 == 0:
        print(f"epoch {epoch} loss {loss.item():.3f} val loss {nn.functional.cross_entropy(d, g[3200:]):.3f} acc {(d.argmax(1) == g[3200:]).float().mean():.3f}")
# cure: - x = torch.from_numpy(raw_x)
# cure: + x = torch.from_numpy((raw_x - mean) / std)
