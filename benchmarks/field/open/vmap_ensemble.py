# expect: healthy
# about: five networks trained at once with torch.func (stack_module_state, vmap, functional_call), SGD written by hand
import copy

import torch
from sklearn.datasets import load_wine
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.set_num_threads(1)
torch.manual_seed(77)
X, y = load_wine(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float()
y = torch.tensor(y)
p = torch.randperm(len(X))
tr, te = p[:130], p[130:]
models = [nn.Sequential(nn.Linear(13, 24), nn.Tanh(), nn.Linear(24, 3)) for _ in range(5)]
params, buffers = stack_module_state(models)
params = {k: v.detach() for k, v in params.items()}
base = copy.deepcopy(models[0]).to("meta")


def loss_fn(w, xb, yb):
    return nn.functional.cross_entropy(functional_call(base, w, (xb,)), yb)


step_fn = vmap(grad_and_value(loss_fn), in_dims=(0, 0, 0))
velocity = {k: torch.zeros_like(v) for k, v in params.items()}
for it in range(300):
    idx = torch.stack([tr[torch.randperm(130)[:32]] for _ in range(5)])
    grads, losses = step_fn(params, X[idx], y[idx])
    for k in params:
        velocity[k] = 0.9 * velocity[k] + grads[k] + 1e-3 * params[k]
        params[k] = params[k] - 0.03 * velocity[k]
    if it % 50 == 49:
        out = vmap(lambda w: functional_call(base, w, (X[te],)))(params)
        ens = out.softmax(-1).mean(0)
        print(it + 1, "member losses", [round(v, 4) for v in losses.tolist()], "ensemble acc", (ens.argmax(1) == y[te]).float().mean().item())
