# expect: healthy
# about: RealNVP on a curved 2-d density, exact likelihood, loss passes through zero into the negative
import math
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(1)


def arcs(n):
    th = math.pi * torch.rand(n)
    up = (torch.rand(n) < 0.5).float()
    x = torch.stack([th.cos() + up - 0.5, (th.sin() - 0.25) * (1 - 2 * up)], 1)
    return (x + 0.04 * torch.randn(n, 2)) * 0.6


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat((b, a) if self.flip else (a, b), 1), s.squeeze(1)


flow = nn.ModuleList([Coupling(i % 2 == 1) for i in range(8)])


def log_prob(x):
    logdet = 0
    for layer in flow:
        x, s = layer(x)
        logdet = logdet + s
    return logdet - 0.5 * (x ** 2).sum(1) - math.log(2 * math.pi)


opt = torch.optim.Adamax(flow.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=500, power=1.0)
hold = arcs(2000)
for step in range(500):
    loss = -log_prob(arcs(128)).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
    opt.step()
    sched.step()
    if step % 50 == 49:
        with torch.no_grad():
            print("step", step + 1, "nll %.3f" % loss.item(), "held-out nll %.3f" % -log_prob(hold).mean().item())
