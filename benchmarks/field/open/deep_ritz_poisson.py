# expect: healthy
# about: Deep Ritz method: the network minimises the energy of a Poisson problem, the loss is negative and flat long before the end, gradients of the output enter the loss
import math

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(9)


class Trial(nn.Module):
    """Vanishes on the boundary of the unit square by construction."""

    def __init__(self, w=40):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, w), nn.Tanh(), nn.Linear(w, w), nn.Tanh(), nn.Linear(w, 1))

    def forward(self, p):
        x, y = p[:, :1], p[:, 1:]
        return 16 * x * (1 - x) * y * (1 - y) * self.net(2 * p - 1)


def exact(p):
    return torch.sin(math.pi * p[:, :1]) * torch.sin(math.pi * p[:, 1:])


def source(p):
    return 2 * math.pi**2 * exact(p)


u = Trial()
optimizer = torch.optim.Adam(u.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 900)
sobol = torch.quasirandom.SobolEngine(2, scramble=True, seed=1)
grid = torch.cartesian_prod(torch.linspace(0, 1, 40), torch.linspace(0, 1, 40))
for it in range(900):
    p = sobol.draw(400).requires_grad_()
    val = u(p)
    (grad,) = torch.autograd.grad(val.sum(), p, create_graph=True)
    energy = (0.5 * grad.pow(2).sum(1, keepdim=True) - source(p) * val).mean()
    optimizer.zero_grad()
    energy.backward()
    optimizer.step()
    scheduler.step()
    if it % 100 == 99:
        with torch.no_grad():
            err = (u(grid) - exact(grid)).norm() / exact(grid).norm()
        print(f"it {it + 1} energy {energy.item():.4f} (minimum {-math.pi ** 2 / 4:.4f}) relative L2 error {err:.5f}")
