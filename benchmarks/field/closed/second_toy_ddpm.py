# expect: healthy
"""DDPM on two moons. Loss is predicted-noise MSE, so it never goes near zero."""
import math
from dataclasses import dataclass
import copy

import torch
import torch.nn as nn
from sklearn.datasets import make_moons


@dataclass
class Config:
    T: int = 100
    hidden: int = 128
    lr: float = 1e-3
    iters: int = 4000
    batch: int = 256
    ema: float = 0.995
    seed: int = 5


cfg = Config()
torch.manual_seed(cfg.seed)
x, _ = make_moons(5000, noise=0.05, random_state=cfg.seed)
data = torch.tensor(x, dtype=torch.float32)
data = (data - data.mean(0)) / data.std(0)

betas = torch.linspace(5e-4, 0.1, cfg.T)
alphas = 1 - betas
abar = torch.cumprod(alphas, 0)


class Denoiser(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.temb = nn.Embedding(cfg.T, 32)
        self.net = nn.Sequential(nn.Linear(2 + 32, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.temb(t)], 1))


model = Denoiser(cfg.hidden)
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
avg = None
for it in range(cfg.iters):
    x0 = data[torch.randint(0, len(data), (cfg.batch,))]
    t = torch.randint(0, cfg.T, (cfg.batch,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = ((model(xt, t) - eps) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for pe, p in zip(ema.parameters(), model.parameters()):
            pe.lerp_(p, 1 - cfg.ema)
    avg = loss.item() if avg is None else 0.99 * avg + 0.01 * loss.item()
    if it % 400 == 0:
        print(f"it {it} loss {loss.item():.3f} smooth {avg:.3f}")


@torch.no_grad()
def sample(n):
    x = torch.randn(n, 2)
    for k in reversed(range(cfg.T)):
        e = ema(x, torch.full((n,), k))
        x = (x - betas[k] / (1 - abar[k]).sqrt() * e) / alphas[k].sqrt()
        if k > 0:
            x = x + betas[k].sqrt() * torch.randn_like(x)
    return x


s = sample(2000)
d_model = torch.cdist(s, data).min(1).values.mean().item()
d_gauss = torch.cdist(torch.randn(2000, 2), data).min(1).values.mean().item()
d_real = torch.cdist(data[:2000], data[2000:]).min(1).values.mean().item()
print(f"nearest-data distance: samples {d_model:.4f}  gaussian {d_gauss:.4f}  real {d_real:.4f}")
