# expect: healthy
# about: variational inference: a chain of affine couplings is fitted by reverse KL to an unnormalised banana posterior; no data set at all, loss ends at minus log Z
import math

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(17)


def log_target(z):
    """Unnormalised: known constant log(3.2)."""
    a, b = z[:, 0], z[:, 1]
    return math.log(3.2) - 0.5 * (a / 1.5) ** 2 - 0.5 * ((b - 0.5 * a**2 + 1.0) / 0.5) ** 2 - math.log(2 * math.pi * 1.5 * 0.5)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 48), nn.SiLU(), nn.Linear(48, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, z):
        keep, move = (z[:, 1:], z[:, :1]) if self.flip else (z[:, :1], z[:, 1:])
        s, t = self.net(keep).chunk(2, 1)
        s = 2 * torch.tanh(s / 2)
        move = move * s.exp() + t
        return torch.cat([move, keep] if self.flip else [keep, move], 1), s.squeeze(1)


flow = nn.ModuleList(Coupling(bool(i % 2)) for i in range(6))
base = torch.distributions.Normal(0.0, 1.0)
opt = torch.optim.Adam(flow.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 400, 0.4)


def sample(n):
    z = torch.randn(n, 2)
    logq = base.log_prob(z).sum(1)
    for layer in flow:
        z, ld = layer(z)
        logq = logq - ld
    return z, logq


for step in range(1, 1201):
    z, logq = sample(256)
    loss = (logq - log_target(z)).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 20.0)
    opt.step()
    sched.step()
    if step % 150 == 0:
        print(f"step {step} reverse KL - log Z {loss.item():+.4f}")
with torch.no_grad():
    z, logq = sample(20000)
    w = (log_target(z) - logq).double()
    ess = (w.logsumexp(0) * 2 - (2 * w).logsumexp(0)).exp().item() / len(z)
    print(f"bound {w.mean():.4f}, importance estimate {(w.logsumexp(0) - math.log(len(z))):.4f}, true log Z {math.log(3.2):.4f}, effective sample share {ess:.3f}")
    print(f"E[a^2] {z[:, 0].pow(2).mean():.3f} (2.25), E[b] {z[:, 1].mean():.3f} (0.125)")
