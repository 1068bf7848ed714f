# expect: healthy
# Physics informed network: u'' + 0.4 u' + 4 u = 0, u(0)=1, u'(0)=0
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
T = 4.0


def derivs(t):
    t = t.requires_grad_(True)
    u = net(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    return u, du, ddu


def exact(t):
    g, w = 0.2, math.sqrt(4 - 0.04)
    return torch.exp(-g * t) * (torch.cos(w * t) + g / w * torch.sin(w * t))


opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9993)
tt = torch.linspace(0, T, 200).unsqueeze(1)
for it in range(4001):
    t = torch.rand(64, 1) * T
    u, du, ddu = derivs(t)
    u0, du0, _ = derivs(torch.zeros(1, 1))
    res = ((ddu + 0.4 * du + 4 * u) ** 2).mean()
    ic = (u0 - 1).pow(2).sum() + du0.pow(2).sum()
    loss = res + 20 * ic
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 500 == 0:
        with torch.no_grad():
            err = (net(tt) - exact(tt)).abs().max().item()
        print(f"{it:5d} residual {res.item():.2e} ic {ic.item():.2e} max error {err:.4f}")
