# expect: healthy
# about: unmixing four recordings: whitening, then an orthogonally parametrised matrix maximises non-Gaussianity; the loss is negative and flat after the first third
import numpy as np
import torch
import torch.nn as nn
from scipy.optimize import linear_sum_assignment
from torch.nn.utils import parametrizations

torch.manual_seed(179)
torch.set_num_threads(1)
rng = np.random.default_rng(179)
T = 12000
t = np.arange(T)
sources = np.stack([np.sign(np.sin(t / 31)), (t / 47) % 1 - 0.5, rng.laplace(0, 1, T), np.sin(t / 13) ** 3])
sources = (sources - sources.mean(1, keepdims=True)) / sources.std(1, keepdims=True)
mixed = rng.normal(0, 1, (4, 4)) @ sources
mixed -= mixed.mean(1, keepdims=True)
w, v = np.linalg.eigh(np.cov(mixed))
white = torch.tensor(((v / np.sqrt(w)) @ v.T @ mixed).T).float()

unmix = parametrizations.orthogonal(nn.Linear(4, 4, bias=False))
opt = torch.optim.Adam(unmix.parameters(), lr=0.02)
sched = torch.optim.lr_scheduler.StepLR(opt, 600, 0.2)
GAUSS = 0.37457


def contrast(s):
    return -((torch.log(torch.cosh(s)).mean(0) - GAUSS) ** 2).sum() * 100


def amari():
    with torch.no_grad():
        est = unmix(white).numpy().T
    c = np.abs(np.corrcoef(est, sources)[:4, 4:])
    r, k = linear_sum_assignment(-c)
    return c[r, k]


for it in range(1, 1801):
    idx = torch.randint(0, T, (512,))
    loss = contrast(unmix(white[idx]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 200 == 0:
        print(f"iter {it} loss {contrast(unmix(white)).item():.4f} recovered |correlation| {np.round(amari(), 4)}")
