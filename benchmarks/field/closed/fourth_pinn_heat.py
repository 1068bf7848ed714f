# expect: loss-sign-flipped
# also: wrong-loss
import argparse
import math

import torch
import torch.nn as nn


class Field(nn.Module):
    def __init__(self, width=32, depth=3):
        super().__init__()
        dims = [2] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.last = nn.Linear(width, 1)

    def forward(self, x, t):
        h = torch.cat([x, t], 1)
        for l in self.hidden:
            h = torch.tanh(l(h))
        return self.last(h)


def grad(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def heat_residual(net, x, t, kappa):
    x.requires_grad_(True)
    t.requires_grad_(True)
    u = net(x, t)
    u_xx = grad(grad(u, x), x)
    return grad(u, t) + kappa * u_xx


def exact(x, t, kappa):
    return torch.exp(-kappa * math.pi ** 2 * t) * torch.sin(math.pi * x)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kappa", type=float, default=0.15)
    p.add_argument("--iters", type=int, default=1200)
    p.add_argument("--lr", type=float, default=3e-3)
    a = p.parse_args()
    torch.manual_seed(0)
    net = Field()
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.iters)
    for i in range(1, a.iters + 1):
        pde = heat_residual(net, torch.rand(128, 1), torch.rand(128, 1), a.kappa).pow(2).mean()
        x0 = torch.rand(64, 1)
        ic = (net(x0, torch.zeros(64, 1)) - torch.sin(math.pi * x0)).pow(2).mean()
        tb = torch.rand(64, 1)
        bc = net(torch.zeros(64, 1), tb).pow(2).mean() + net(torch.ones(64, 1), tb).pow(2).mean()
        loss = pde + 10 * ic + 10 * bc
        opt.zero_grad()
        loss.backward()
        opt.step()
        sch.step()
        if i % 200 == 0:
            print(f"{i:5d} | total {loss.item():.3e} | pde {pde.item():.3e} | ic {ic.item():.3e} | bc {bc.item():.3e}")
    g = torch.linspace(0, 1, 41)
    xx, tt = (q.reshape(-1, 1) for q in torch.meshgrid(g, g, indexing="ij"))
    with torch.no_grad():
        u, e = net(xx, tt), exact(xx, tt, a.kappa)
    print(f"relative error vs analytic solution: {((u - e).norm() / e.norm()).item():.5f}")


if __name__ == "__main__":
    main()
