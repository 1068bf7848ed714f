# expect: healthy
import argparse
import logging
import math
import torch
from torch import nn
from torch.func import functional_call

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger()


def tasks(n, k, g=None):
    amp = 0.5 + 3 * torch.rand(n, 1, 1, generator=g)
    ph = math.pi * torch.rand(n, 1, 1, generator=g)
    x = 10 * torch.rand(n, 2 * k, 1, generator=g) - 5
    return x / 2, amp * torch.sin(x + ph)


def adapt(net, params, x, y, lr, steps, create_graph):
    for _ in range(steps):
        loss = ((functional_call(net, params, (x,)) - y) ** 2).mean()
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=create_graph)
        params = {n: p - lr * g for (n, p), g in zip(params.items(), grads)}
    return params


def main(a):
    torch.manual_seed(a.seed)
    net = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.iters)
    xv, yv = tasks(60, a.k, torch.Generator().manual_seed(5))

    def test(steps):
        tot = 0
        for i in range(60):
            p = {n: q.detach().requires_grad_() for n, q in net.named_parameters()}
            p = adapt(net, p, xv[i, :a.k], yv[i, :a.k], a.inner, steps, False)
            tot += ((functional_call(net, p, (xv[i, a.k:],)) - yv[i, a.k:]) ** 2).mean().item()
        return tot / 60

    log.info("query mse before training, 0 steps %.3f, 3 steps %.3f", test(0), test(3))
    for it in range(a.iters):
        x, y = tasks(a.tasks, a.k)
        loss = 0.0
        for i in range(a.tasks):
            fast = adapt(net, dict(net.named_parameters()), x[i, :a.k], y[i, :a.k], a.inner, 1, True)
            loss = loss + ((functional_call(net, fast, (x[i, a.k:],)) - y[i, a.k:]) ** 2).mean()
        loss = loss / a.tasks
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if it % 100 == 99:
            log.info("it %d meta loss %.3f", it + 1, loss.item())
    log.info("query mse after training, 0 steps %.3f, 3 steps %.3f", test(0), test(3))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=1800)
    p.add_argument("--tasks", type=int, default=5)
    p.add_argument("--k", type=int, default=10)
    p.add_argument("--inner", type=float, default=0.02)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
