# expect: healthy
# about: deep canonical correlation of two sensor views; the loss is minus the summed correlations, so it is negative from the start and ends near -2
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(83)
torch.set_num_threads(1)
rng = np.random.default_rng(83)
n = 6000
z = rng.uniform(-2, 2, (n, 2))
mix1, mix2 = rng.normal(0, 1, (4, 12)), rng.normal(0, 1, (4, 9))
a = np.concatenate([z, np.sin(1.5 * z)], 1) @ mix1 + 0.4 * rng.normal(0, 1, (n, 12))
b = np.concatenate([z**2 * np.sign(z), np.tanh(2 * z[:, ::-1])], 1) @ mix2 + 0.4 * rng.normal(0, 1, (n, 9))
A = torch.tensor((a - a.mean(0)) / a.std(0)).float()
B = torch.tensor((b - b.mean(0)) / b.std(0)).float()
tr, te = slice(0, 5000), slice(5000, None)


def tower(d):
    return nn.Sequential(nn.Linear(d, 48), nn.Tanh(), nn.Linear(48, 24), nn.Tanh(), nn.Linear(24, 2))


def inv_sqrt(c):
    w, v = torch.linalg.eigh(c)
    return v @ torch.diag(w.rsqrt()) @ v.T


def correlation(p, q, reg=1e-3):
    p, q = p - p.mean(0), q - q.mean(0)
    m = len(p) - 1
    eye = reg * torch.eye(2)
    T = inv_sqrt(p.T @ p / m + eye) @ (p.T @ q / m) @ inv_sqrt(q.T @ q / m + eye)
    return torch.linalg.svdvals(T).sum()


f, g = tower(12), tower(9)
opt = torch.optim.Adam([*f.parameters(), *g.parameters()], lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for epoch in range(20):
    tot, steps = 0.0, 0
    for idx in torch.randperm(5000).split(250):
        loss = -correlation(f(A[tr][idx]), g(B[tr][idx]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, steps = tot + loss.item(), steps + 1
    sched.step()
    if epoch % 3 == 1:
        with torch.no_grad():
            held = correlation(f(A[te]), g(B[te])).item()
        print(f"epoch {epoch + 1} loss {tot / steps:.4f} held-out correlation sum {held:.4f} of 2")
