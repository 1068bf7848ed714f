# expect: healthy
import math
import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from sklearn.mixture import GaussianMixture

torch.manual_seed(1)
X, _ = make_moons(4000, noise=0.05, random_state=1)
X = torch.tensor(X, dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0) * 0.5
train, test = X[:3000], X[3000:]


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))

    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        s = 2.0 * torch.tanh(s)
        b = b * torch.exp(s) + t
        out = torch.cat([b, a] if self.flip else [a, b], dim=1)
        return out, s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, n=8):
        super().__init__()
        self.layers = nn.ModuleList([Coupling(i % 2 == 1) for i in range(n)])

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for l in self.layers:
            x, ld = l(x)
            logdet = logdet + ld
        return -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi) + logdet


flow = Flow()
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1500)
for it in range(1500):
    xb = train[torch.randint(0, len(train), (256,))]
    nll = -flow.log_prob(xb).mean()
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    sched.step()
    if it % 150 == 0 or it == 1499:
        with torch.no_grad():
            print(it, "nll %.3f" % nll.item(), "test %.3f" % -flow.log_prob(test).mean().item())

for k in (1, 8, 20):
    gm = GaussianMixture(k, random_state=0).fit(train.numpy())
    print(f"GMM({k}) test nll {-gm.score(test.numpy()):.3f}")
