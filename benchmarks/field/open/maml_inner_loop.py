# expect: healthy
# about: second-order MAML on sine tasks with vmap over tasks; the loss before adaptation stays high on purpose, after three inner steps it is small
import math

import torch
from torch import nn
from torch.func import functional_call

torch.set_num_threads(1)
torch.manual_seed(15)
INNER_LR, INNER_STEPS, META_BATCH, STEPS = 0.05, 3, 16, 750


def tasks(n, k):
    amp, phase = 0.5 + 1.5 * torch.rand(n, 1), math.pi * torch.rand(n, 1)
    x = torch.rand(n, 2 * k) * 8 - 4
    y = amp * torch.sin(x + phase)
    return (x[:, :k, None], y[:, :k, None]), (x[:, k:, None], y[:, k:, None])


net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
meta = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(meta, STEPS)


def adapt(params, xs, ys):
    def inner(p):
        return nn.functional.mse_loss(functional_call(net, p, (xs,)), ys)

    for _ in range(INNER_STEPS):
        grads = torch.func.grad(inner)(params)
        params = {k: params[k] - INNER_LR * grads[k] for k in params}
    return params


def query_loss(params, xs, ys, xq, yq):
    return nn.functional.mse_loss(functional_call(net, adapt(params, xs, ys), (xq,)), yq)


per_task = torch.vmap(query_loss, in_dims=(None, 0, 0, 0, 0))
test = tasks(200, 10)
for it in range(1, STEPS + 1):
    support, query = tasks(META_BATCH, 10)
    meta.zero_grad()
    loss = per_task(dict(net.named_parameters()), *support, *query).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    meta.step()
    sched.step()
    if it % 150 == 0:
        with torch.no_grad():
            before = nn.functional.mse_loss(net(test[1][0]), test[1][1]).item()
        after = per_task({k: p.detach() for k, p in net.named_parameters()}, *test[0], *test[1]).mean().item()
        print(f"meta-step {it} query loss {loss.item():.3f} | new tasks before {before:.3f} after {after:.3f}")
print(f"variance of the targets {test[1][1].var():.3f}")
