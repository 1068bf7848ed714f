# expect: healthy
# about: ensemble of five MLPs trained together with stack_module_state, vmap and a hand-written Adam-free update with momentum
import copy
import torch
import torch.nn as nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.set_num_threads(1)
torch.manual_seed(6)
x = torch.rand(600, 2) * 4 - 2
f = lambda x: torch.sin(2 * x[:, 0]) * torch.cos(x[:, 1])
y = f(x) + 0.05 * torch.randn(600)
xt = torch.rand(400, 2) * 4 - 2
models = [nn.Sequential(nn.Linear(2, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1)) for _ in range(5)]
params, buffers = stack_module_state(models)
params = {k: v.detach().clone() for k, v in params.items()}
base = copy.deepcopy(models[0]).to("meta")


def loss_fn(p, b, x, y):
    return ((functional_call(base, (p, b), (x,)).squeeze(-1) - y) ** 2).mean()


step_fn = vmap(grad_and_value(loss_fn), in_dims=(0, 0, None, None))
velocity = {k: torch.zeros_like(v) for k, v in params.items()}
ITERS = 1000
for it in range(ITERS):
    b = torch.randint(600, (64,))
    grads, losses = step_fn(params, buffers, x[b], y[b])
    lr = 0.06 * (1 - it / ITERS)
    for k in params:
        velocity[k].mul_(0.9).add_(grads[k])
        params[k] = params[k] - lr * velocity[k]
    if it % 100 == 99:
        pred = vmap(lambda p, b: functional_call(base, (p, b), (xt,)).squeeze(-1))(params, buffers)
        rmse = (pred.mean(0) - f(xt)).pow(2).mean().sqrt().item()
        print(f"it {it + 1} member losses {[round(v, 4) for v in losses.tolist()]} ensemble rmse to truth {rmse:.4f}")
