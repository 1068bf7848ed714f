# expect: healthy
# Poisson problem u'' = f on [0, 1], u(0) = u(1) = 0
import math
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)

net = torch.nn.Sequential(
    torch.nn.Linear(1, 24), torch.nn.Tanh(),
    torch.nn.Linear(24, 24), torch.nn.Tanh(),
    torch.nn.Linear(24, 1),
)
x = torch.linspace(0, 1, 128).unsqueeze(1).requires_grad_(True)
xb = torch.tensor([[0.0], [1.0]])
exact = lambda s: torch.sin(2 * math.pi * s) + 0.3 * torch.sin(4 * math.pi * s)
source = lambda s: -(2 * math.pi) ** 2 * torch.sin(2 * math.pi * s) - 0.3 * (4 * math.pi) ** 2 * torch.sin(4 * math.pi * s)


def objective():
    u = net(x)
    du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), x, create_graph=True)[0]
    pde = ((ddu - source(x)) ** 2).mean()
    bc = (net(xb) ** 2).mean()
    return pde + 500 * bc


opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=20, history_size=50, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    l = objective()
    l.backward()
    return l


for it in range(60):
    l = opt.step(closure)
    if it % 10 == 0:
        print(it, float(l))
with torch.no_grad():
    err = ((net(x) - exact(x)).norm() / exact(x).norm()).item()
print("relative L2 error:", err)
