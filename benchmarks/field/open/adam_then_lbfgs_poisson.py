# expect: healthy
# about: physics-informed net for a 1-d boundary problem, Adam to get near and full-batch L-BFGS with line search to finish; loss ends orders of magnitude below where Adam idled
import math

import torch
import torch.nn as nn

torch.manual_seed(113)
torch.set_num_threads(1)


class Field(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return x * (1 - x) * self.net(2 * x - 1)


def exact(x):
    return torch.sin(math.pi * x) + 0.3 * torch.sin(3 * math.pi * x)


def source(x):
    return math.pi**2 * torch.sin(math.pi * x) + 2.7 * math.pi**2 * torch.sin(3 * math.pi * x)


u = Field()
x = torch.linspace(0, 1, 80)[:, None].requires_grad_(True)


def residual_loss():
    v = u(x)
    d1 = torch.autograd.grad(v.sum(), x, create_graph=True)[0]
    d2 = torch.autograd.grad(d1.sum(), x, create_graph=True)[0]
    return ((d2 + source(x)) ** 2).mean()


def error():
    with torch.no_grad():
        grid = torch.linspace(0, 1, 301)[:, None]
        return ((u(grid) - exact(grid)).norm() / exact(grid).norm()).item()


adam = torch.optim.Adam(u.parameters(), lr=5e-3)
for it in range(1, 801):
    adam.zero_grad()
    loss = residual_loss()
    loss.backward()
    adam.step()
    if it % 100 == 0:
        print(f"adam {it} residual {loss.item():.3e} relative error {error():.2e}")

lbfgs = torch.optim.LBFGS(u.parameters(), max_iter=20, history_size=30, line_search_fn="strong_wolfe", tolerance_grad=1e-9, tolerance_change=1e-12)


def closure():
    lbfgs.zero_grad()
    loss = residual_loss()
    loss.backward()
    return loss


for it in range(1, 26):
    loss = lbfgs.step(closure)
    if it % 5 == 0:
        print(f"lbfgs {it} residual {loss.item():.3e} relative error {error():.2e}")
