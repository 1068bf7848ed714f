# expect: healthy
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
K = 8
centers = torch.stack([torch.tensor([math.cos(2 * math.pi * i / K), math.sin(2 * math.pi * i / K)]) for i in range(K)]) * 2


def real(n):
    return centers[torch.randint(0, K, (n,))] + 0.1 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
D = nn.Sequential(nn.Linear(2, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
optG = torch.optim.Adam(G.parameters(), lr=4e-4, betas=(0.5, 0.99))
optD = torch.optim.Adam(D.parameters(), lr=8e-4, betas=(0.5, 0.99))

for rnd in range(220):
    for _ in range(15):
        x = real(128)
        z = G(torch.randn(128, 8)).detach()
        lossD = F.softplus(-D(x)).mean() + F.softplus(D(z)).mean()
        optD.zero_grad()
        lossD.backward()
        optD.step()
    for _ in range(10):
        lossG = F.softplus(-D(G(torch.randn(128, 8)))).mean()
        optG.zero_grad()
        lossG.backward()
        optG.step()
    if rnd % 20 == 0:
        print(rnd, "D", round(lossD.item(), 3), "G", round(lossG.item(), 3))

with torch.no_grad():
    s = G(torch.randn(4000, 8))
dist, idx = torch.cdist(s, centers).min(1)
good = dist < 0.4
print("modes covered", len(idx[good].unique()), "share of good samples", good.float().mean().item())
