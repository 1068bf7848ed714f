# expect: healthy
import math
import torch
from torch import nn


def real(n):
    a = torch.randint(0, 6, (n,)) * (2 * math.pi / 6)
    return torch.stack([a.cos(), a.sin()], 1) * 1.5 + 0.12 * torch.randn(n, 2)


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


def quality(x):
    c = torch.arange(6) * (2 * math.pi / 6)
    c = torch.stack([c.cos(), c.sin()], 1) * 1.5
    d, k = torch.cdist(x, c).min(1)
    good = d < 0.5
    return good.float().mean().item(), len(k[good].unique())


torch.manual_seed(6)
G, D = mlp(8, 2), mlp(2, 1)
g_opt = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
d_opt = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.99))
bce = nn.BCEWithLogitsLoss()
B = 128
one, zero = torch.ones(B, 1), torch.zeros(B, 1)
for it in range(3000):
    fake = G(torch.randn(B, 8))
    d_loss = bce(D(real(B)), one) + bce(D(fake.detach()), zero)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()

    g_loss = bce(D(fake), one)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    if it % 500 == 0:
        print("it %d D %.3f G %.3f" % (it, d_loss.item(), g_loss.item()))
with torch.no_grad():
    frac, modes = quality(G(torch.randn(2000, 8)))
print(f"close to a mode: {frac:.3f}, modes hit: {modes}/6")
