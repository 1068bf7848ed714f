# expect: broadcast-loss
# about: raw-tensor training; targets kept as a column from the csv, outputs flat, log-cosh loss
import io

import numpy as np
import torch

torch.manual_seed(4)
torch.set_num_threads(1)
rng = np.random.default_rng(4)
buf = io.StringIO()
a = rng.normal(size=(900, 3))
np.savetxt(buf, np.c_[a, np.tanh(a[:, 0]) + a[:, 1] * a[:, 2]], delimiter=",")
buf.seek(0)
table = torch.from_numpy(np.loadtxt(buf, delimiter=",")).float()
inputs, target = table[:, :3], table[:, 3:]
params = [torch.randn(3, 32) * 0.5, torch.zeros(32), torch.randn(32) * 0.2, torch.zeros(())]
for p in params:
    p.requires_grad_(True)
velocity = [torch.zeros_like(p) for p in params]


def model(x):
    return torch.tanh(x @ params[0] + params[1]) @ params[2] + params[3]


def log_cosh(e):
    return (e + torch.nn.functional.softplus(-2 * e) - 0.6931).mean()


for it in range(1, 2001):
    i = torch.randint(0, 700, (32,))
    err = model(inputs[i]) - target[i]
    loss = log_cosh(err)
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        for p, v, g in zip(params, velocity, grads):
            v.mul_(0.9).add_(g)
            p.sub_(0.05 * v)
    if it % 200 == 0:
        with torch.no_grad():
            res = model(inputs[700:]) - target[700:, 0]
        print(f"it {it} loss {loss.item():.4f} held-out R2 {1 - (res.var() / target[700:].var()).item():.3f}")
# cure: - err = model(inputs[i]) - target[i]
# cure: + err = model(inputs[i]) - target[i, 0]
