# expect: healthy
# about: PINN for u'' = -u with boundary terms; second derivatives inside the loss, no validation
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.998)
t_b = torch.tensor([[0.0]], requires_grad=True)
for it in range(1500):
    t = (torch.rand(64, 1) * math.pi).requires_grad_()
    u = net(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    residual = (ddu + u).pow(2).mean()
    u0 = net(t_b)
    du0 = torch.autograd.grad(u0.sum(), t_b, create_graph=True)[0]
    loss = residual + (u0 - 0).pow(2).sum() + (du0 - 1).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 250 == 249:
        tt = torch.linspace(0, math.pi, 100)[:, None]
        err = (net(tt).detach() - tt.sin()).abs().max()
        print(it + 1, f"loss {loss.item():.2e} max error {err:.4f}")
