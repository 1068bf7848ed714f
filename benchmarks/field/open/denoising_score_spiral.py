# expect: healthy
# about: noise-conditional denoising score matching on a spiral, loss weighted by sigma squared and far above zero at its optimum; samples by annealed Langevin
import math

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(24)
SIGMAS = torch.logspace(math.log10(1.5), math.log10(0.05), 8)


def spiral(n):
    a = 3 * math.pi * torch.rand(n).sqrt()
    return torch.stack([a * a.cos(), a * a.sin()], 1) / 5 + 0.04 * torch.randn(n, 2)


class Score(nn.Module):
    def __init__(self, w=96):
        super().__init__()
        self.level = nn.Embedding(len(SIGMAS), w)
        self.a, self.b, self.c, self.d = nn.Linear(2, w), nn.Linear(w, w), nn.Linear(w, w), nn.Linear(w, 2)

    def forward(self, x, k):
        s = SIGMAS[k][:, None]
        h = nn.functional.silu(self.a(x) + self.level(k))
        h = nn.functional.silu(self.b(h) + self.level(k))
        h = nn.functional.silu(self.c(h))
        return self.d(h) / s


def objective(net, x):
    k = torch.randint(0, len(SIGMAS), (len(x),))
    s = SIGMAS[k][:, None]
    eps = torch.randn_like(x)
    return (s * net(x + s * eps, k) + eps).pow(2).sum(1).mean()


@torch.no_grad()
def langevin(net, n):
    x = torch.randn(n, 2) * 1.5
    for k, s in enumerate(SIGMAS):
        for _ in range(25):
            step = 0.15 * s**2
            x = x + step * net(x, torch.full((n,), k)) + (2 * step).sqrt() * torch.randn_like(x)
    return x


net = Score()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
N = 2000
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=N)
window = 0.0
for step in range(1, N + 1):
    opt.zero_grad()
    loss = objective(net, spiral(256))
    loss.backward()
    opt.step()
    sched.step()
    window += loss.item() / 250
    if step % 250 == 0:
        x = langevin(net, 400)
        near = torch.cdist(x, spiral(3000)).min(1).values
        print(f"step {step} loss {window:.4f} median distance of samples to the spiral {near.median():.4f}")
        window = 0.0
print(f"fresh data themselves: {torch.cdist(spiral(400), spiral(3000)).min(1).values.median():.4f}")
