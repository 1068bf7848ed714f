# expect: healthy
"""Reptile meta-learning on sine waves. Losses per task are very noisy by nature."""
import copy
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.RandomState(0)


def new_task():
    amp, ph = rng.uniform(0.5, 3.0), rng.uniform(0, np.pi)
    return lambda x: amp * torch.sin(x + ph)


model = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))


def inner_train(net, f, x, steps, lr=0.02):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for _ in range(steps):
        for chunk in x.split(10):
            loss = ((net(chunk) - f(chunk)) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


grid = torch.linspace(-5, 5, 50).unsqueeze(1)
eval_tasks = [new_task() for _ in range(20)]


def few_shot_error(base):
    errs = []
    for k, f in enumerate(eval_tasks):
        g = torch.Generator().manual_seed(k)
        xs = torch.rand(10, 1, generator=g) * 10 - 5
        net = copy.deepcopy(base)
        inner_train(net, f, xs, 32)
        with torch.no_grad():
            errs.append(((net(grid) - f(grid)) ** 2).mean().item())
    return float(np.mean(errs))


print("before meta-training, 10-shot mse %.3f" % few_shot_error(model))
ITERS = 5000
for it in range(ITERS):
    before = copy.deepcopy(model.state_dict())
    l = inner_train(model, new_task(), grid[torch.randperm(50)], 1)
    eps = 0.2 * (1 - it / ITERS)
    after = model.state_dict()
    model.load_state_dict({k: before[k] + eps * (after[k] - before[k]) for k in before})
    if (it + 1) % 500 == 0:
        print(f"iter {it+1}: task loss {l:.3f}  10-shot mse {few_shot_error(model):.3f}")
