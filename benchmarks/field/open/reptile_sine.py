# expect: healthy
# about: Reptile meta-learning: inner SGD on a copy, outer interpolation; the inner loss restarts with each task
import copy
import math
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))


def task():
    a, ph = 0.5 + 2 * torch.rand(1), math.pi * torch.rand(1)
    return lambda x: a * torch.sin(x + ph)


def adapt(model, f, x, steps, lr=0.02):
    fast = copy.deepcopy(model)
    opt = torch.optim.SGD(fast.parameters(), lr=lr)
    for _ in range(steps):
        loss = nn.functional.mse_loss(fast(x), f(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return fast, loss.item()


eval_tasks = [task() for _ in range(30)]
grid = torch.linspace(-5, 5, 50)[:, None]
for outer in range(500):
    f = task()
    fast, inner = adapt(net, f, torch.rand(20, 1) * 10 - 5, 8)
    eps = 0.3 * (1 - outer / 500)
    with torch.no_grad():
        for p, q in zip(net.parameters(), fast.parameters()):
            p += eps * (q - p)
    if outer % 100 == 99:
        after = sum(nn.functional.mse_loss(adapt(net, f, grid[::5], 16)[0](grid), f(grid)).item() for f in eval_tasks) / 30
        print(f"outer {outer + 1}: inner loss {inner:.3f}, mse after adaptation on new tasks {after:.3f}")
