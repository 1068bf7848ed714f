# expect: undertrained
# also: lr-too-low
# about: PINN for the heat equation stopped while the residual still falls fast
import math

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
alpha = 0.1
N_ITER = 250


def residual(n):
    xt = torch.rand(n, 2, requires_grad=True)
    u = net(xt)
    du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    uxx = torch.autograd.grad(du[:, 0].sum(), xt, create_graph=True)[0][:, 0]
    return du[:, 1] - alpha * uxx


def exact(xt):
    return torch.exp(-alpha * math.pi**2 * xt[:, 1:]) * torch.sin(math.pi * xt[:, :1])


for it in range(1, N_ITER + 1):
    x0 = torch.cat([torch.rand(64, 1), torch.zeros(64, 1)], 1)
    side = torch.cat([torch.randint(0, 2, (64, 1)).float(), torch.rand(64, 1)], 1)
    loss = (residual(128) ** 2).mean() + ((net(x0) - exact(x0)) ** 2).mean() + (net(side) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % (N_ITER // 10) == 0:
        with torch.no_grad():
            grid = torch.cartesian_prod(torch.linspace(0, 1, 30), torch.linspace(0, 1, 30))
            rel = ((net(grid) - exact(grid)).norm() / exact(grid).norm()).item()
        print(f"it {it} loss {loss.item():.5f} relative error {rel:.4f}")
# cure: - N_ITER = 250
# cure: + N_ITER = 1500
