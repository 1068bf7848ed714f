# expect: healthy
import math, torch
from torch import nn
torch.set_default_dtype(torch.float64); torch.manual_seed(1)
# u'' = -pi^2 sin(pi x) - 4 pi^2 * .5 * sin(2 pi x), u(-1) = u(1) = 0
u_true = lambda x: torch.sin(math.pi * x) + .5 * torch.sin(2 * math.pi * x)
rhs = lambda x: -math.pi ** 2 * torch.sin(math.pi * x) - 2 * math.pi ** 2 * torch.sin(2 * math.pi * x)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
sch = torch.optim.lr_scheduler.ExponentialLR(opt, .9985)
xb = torch.tensor([[-1.], [1.]])
grid = torch.linspace(-1, 1, 200)[:, None]
for it in range(2000):
    x = (2 * torch.rand(48, 1) - 1).requires_grad_()
    u = net(x)
    du, = torch.autograd.grad(u.sum(), x, create_graph=True)
    d2, = torch.autograd.grad(du.sum(), x, create_graph=True)
    res = ((d2 - rhs(x)) ** 2).mean()
    bc = 100 * (net(xb) ** 2).mean()
    loss = res + bc
    opt.zero_grad(); loss.backward(); opt.step(); sch.step()
    if it % 250 == 249:
        with torch.no_grad(): e = (net(grid) - u_true(grid)).norm() / u_true(grid).norm()
        print(it + 1, "residual", res.item(), "bc", bc.item(), "relative error", e.item())
