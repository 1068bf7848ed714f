# expect: healthy
# about: WGAN-GP on eight Gaussians; critic loss is negative and shrinks toward zero, generator loss drifts, neither is a score
import math

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(5)


def real_batch(n):
    k = torch.randint(0, 8, (n,))
    a = k * math.pi / 4
    return torch.stack([a.cos(), a.sin()], 1) * 2 + 0.2 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(4, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 2))
C = nn.Sequential(nn.Linear(2, 96), nn.LeakyReLU(0.2), nn.Linear(96, 96), nn.LeakyReLU(0.2), nn.Linear(96, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_c = torch.optim.Adam(C.parameters(), lr=1e-3, betas=(0.5, 0.9))


def penalty(a, b):
    eps = torch.rand(len(a), 1)
    mix = (eps * a + (1 - eps) * b).requires_grad_(True)
    g = torch.autograd.grad(C(mix).sum(), mix, create_graph=True)[0]
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


for it in range(1, 1001):
    for _ in range(3):
        real = real_batch(128)
        with torch.no_grad():
            fake = G(torch.randn(128, 4))
        c_loss = C(fake).mean() - C(real).mean() + 1.0 * penalty(real, fake)
        opt_c.zero_grad()
        c_loss.backward()
        opt_c.step()
    g_loss = -C(G(torch.randn(128, 4))).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it % 100 == 0:
        with torch.no_grad():
            s = G(torch.randn(2000, 4))
            ang = torch.arange(8) * math.pi / 4
            d = torch.cdist(s, 2 * torch.stack([ang.cos(), ang.sin()], 1))
            near = d.min(1)
            modes = near.indices[near.values < 0.6].bincount(minlength=8)
        print(f"it {it} critic {c_loss.item():+.3f} gen {g_loss.item():+.3f} modes hit {(modes > 40).sum().item()}/8 good samples {(near.values < 0.6).float().mean():.2f}")
