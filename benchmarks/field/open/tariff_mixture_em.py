# expect: healthy
# about: EM with neural experts: responsibilities are computed without gradient, then a few optimizer steps on the weighted loss, mixing weights in closed form
import math

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(137)
torch.set_num_threads(1)
rng = np.random.default_rng(137)
n = 3000
x = rng.uniform(-2, 2, n)
group = rng.choice(3, n, p=[0.5, 0.3, 0.2])
curves = np.stack([np.sin(2 * x) + 2.2, 0.8 * x - 0.6, -0.5 * x**2 - 1.8])
y = curves[group, np.arange(n)] + 0.15 * rng.normal(0, 1, n)
X, Y = torch.tensor(x).float()[:, None], torch.tensor(y).float()
tr, te = slice(0, 2400), slice(2400, None)

experts = nn.ModuleList([nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1)) for _ in range(3)])
for e, b in zip(experts, (2.2, -0.5, -2.6)):
    nn.init.constant_(e[-1].bias, b)
log_pi, sigma = torch.full((3,), -math.log(3)), torch.full((3,), 0.5)
opt = torch.optim.Adam(experts.parameters(), lr=1e-2)


def log_terms(sl):
    mean = torch.cat([e(X[sl]) for e in experts], 1)
    return log_pi - sigma.log() - 0.5 * math.log(2 * math.pi) - 0.5 * ((Y[sl][:, None] - mean) / sigma) ** 2, mean


for rnd in range(1, 81):
    with torch.no_grad():
        lt, _ = log_terms(tr)
        resp = lt.softmax(1)
        log_pi = resp.mean(0).log()
    for _ in range(15):
        mean = torch.cat([e(X[tr]) for e in experts], 1)
        weighted = (resp * (Y[tr][:, None] - mean) ** 2).sum(1).mean()
        opt.zero_grad()
        weighted.backward()
        opt.step()
    if rnd == 60:
        opt.param_groups[0]["lr"] = 2e-3
    with torch.no_grad():
        _, mean = log_terms(tr)
        sigma = ((resp * (Y[tr][:, None] - mean) ** 2).sum(0) / resp.sum(0)).sqrt().clamp(min=0.05)
        if rnd % 10 == 0:
            lt, _ = log_terms(te)
            nll = -torch.logsumexp(lt, 1).mean().item()
            agree = (lt.argmax(1).numpy() == group[te]).mean()
            print(f"round {rnd} weighted error {weighted.item():.4f} test nll {nll:.4f} sigma {[round(s, 3) for s in sigma.tolist()]} right group {agree:.4f}")
