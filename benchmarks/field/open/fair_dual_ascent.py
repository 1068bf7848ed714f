# expect: healthy
# about: constrained training: classifier descends while a Lagrange multiplier ascends (maximize=True) until two groups are accepted at nearly equal rates; the loss rises at first
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(54)
torch.manual_seed(54)
n = 12000
group = (rng.random(n) < 0.4).astype(np.float32)
skill = rng.standard_normal(n)
x = np.column_stack([skill + 0.4 * rng.standard_normal(n), skill - 0.8 * group + 0.6 * rng.standard_normal(n), rng.standard_normal((n, 3)), group + 0.5 * rng.standard_normal(n)])
y = (skill - 0.6 * group + 0.5 * rng.standard_normal(n) > 0).astype(np.float32)
X, G, Y = (torch.tensor(a, dtype=torch.float32) for a in (x, group, y))
X = (X - X[:9000].mean(0)) / X[:9000].std(0)
LIMIT = 0.05


def gap(logits, g):
    p = torch.sigmoid(2 * logits)
    return (p * g).sum() / g.sum() - (p * (1 - g)).sum() / (1 - g).sum()


def report(net):
    with torch.no_grad():
        z = net(X[9000:]).squeeze(1)
    g, t, yes = G[9000:], Y[9000:], (z > 0).float()
    return f"acc {(yes == t).float().mean():.4f} acceptance {yes[g == 0].mean():.3f} / {yes[g == 1].mean():.3f}"


def fit(constrained, epochs):
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
    multiplier = nn.Parameter(torch.tensor(0.0))
    down = torch.optim.Adam(net.parameters(), lr=1e-2)
    up = torch.optim.SGD([multiplier], lr=0.1, maximize=True)
    sched = torch.optim.lr_scheduler.ExponentialLR(down, 0.97)
    for ep in range(epochs):
        tot = 0.0
        for b in torch.randperm(9000).split(1500):
            z = net(X[b]).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(z, Y[b])
            violation = gap(z, G[b]).abs() - LIMIT
            lagrangian = loss + multiplier * violation if constrained else loss
            down.zero_grad()
            up.zero_grad()
            lagrangian.backward()
            down.step()
            if constrained:
                up.step()
                with torch.no_grad():
                    multiplier.clamp_(min=0)
            tot += loss.item() / 6
        sched.step()
        if ep % 10 == 9:
            print(f"{'constrained' if constrained else 'free'} epoch {ep + 1} bce {tot:.4f} multiplier {multiplier.item():.3f} {report(net)}")


fit(False, 30)
fit(True, 90)
