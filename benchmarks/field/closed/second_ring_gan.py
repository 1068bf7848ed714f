# expect: healthy
"""Small GAN on the classic 8-gaussians ring."""
import math
import torch
import torch.nn as nn

torch.manual_seed(3)
Z = 8
BATCH = 256


def real_batch(n):
    k = torch.randint(0, 8, (n,))
    ang = k.float() * (2 * math.pi / 8)
    centers = torch.stack([ang.cos(), ang.sin()], 1) * 2.0
    return centers + 0.08 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(Z, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
D = nn.Sequential(nn.Linear(2, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=5e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=5e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()

for step in range(5001):
    x = real_batch(BATCH)
    fake = G(torch.randn(BATCH, Z))
    d_real, d_fake = D(x), D(fake.detach())
    loss_d = bce(d_real, torch.ones_like(d_real)) + bce(d_fake, torch.zeros_like(d_fake))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    out = D(fake)
    loss_g = bce(out, torch.ones_like(out))
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    if step % 500 == 0:
        print(f"step {step:5d}  D {loss_d.item():.3f}  G {loss_g.item():.3f}")

with torch.no_grad():
    s = G(torch.randn(4000, Z))
    ang = torch.arange(8).float() * (2 * math.pi / 8)
    centers = torch.stack([ang.cos(), ang.sin()], 1) * 2.0
    d = torch.cdist(s, centers)
    dist, idx = d.min(1)
    good = dist < 0.4
    counts = torch.bincount(idx[good], minlength=8)
print("high quality samples: %.3f" % good.float().mean().item())
print("per mode:", counts.tolist())
