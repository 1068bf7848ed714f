# expect: undertrained
# about: affine coupling flow on two rings, a first short run
import math

import torch
from torch import nn

torch.manual_seed(74)
torch.set_num_threads(1)
STEPS = 160


def rings(n):
    a = 2 * math.pi * torch.rand(n)
    r = torch.where(torch.rand(n) < 0.5, 0.7, 1.6) + 0.06 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1)


class Coupling(nn.Module):
    def __init__(self, swap):
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(1, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.swap:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s / 2)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.swap else [a, b], 1), s.squeeze(1)


layers = nn.ModuleList(Coupling(i % 2 == 1) for i in range(8))


def nll(x):
    total = 0.0
    for l in layers:
        x, s = l(x)
        total = total + s
    return -(total - 0.5 * (x**2).sum(1) - math.log(2 * math.pi)).mean()


opt = torch.optim.Adam(layers.parameters(), lr=5e-4)
val = rings(1000)
for it in range(1, STEPS + 1):
    loss = nll(rings(128))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0 and it <= 160 or it % 200 == 0:
        with torch.no_grad():
            print(f"it {it} nll {loss.item():.3f} val {nll(val).item():.3f}")
# cure: - STEPS = 160
# cure: + STEPS = 1600
