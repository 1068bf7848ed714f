# expect: healthy
# about: plain GAN on a correlated 2-d Gaussian; both losses settle near ln 2 and stay there
import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
L = torch.tensor([[1.0, 0.0], [0.8, 0.6]])
shift = torch.tensor([0.5, -0.3])
real_batch = lambda n: torch.randn(n, 2) @ L.T + shift

G = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.99))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(128, 1), torch.zeros(128, 1)
total = 800
decay = lambda s: 1.0 if s < total // 2 else max(0.05, 2 - 2 * s / total)
scheds = [torch.optim.lr_scheduler.LambdaLR(o, decay) for o in (g_opt, d_opt)]
for it in range(total):
    fake = G(torch.randn(128, 2))
    d_loss = 0.5 * (bce(D(real_batch(128)), ones) + bce(D(fake.detach()), zeros))
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = bce(D(fake), ones)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    for s in scheds:
        s.step()
    if it % 80 == 79:
        with torch.no_grad():
            s = G(torch.randn(4000, 2))
        cov = torch.cov(s.T)
        print(f"[{it}] D {d_loss.item():.3f} G {g_loss.item():.3f} mean {[round(v, 2) for v in s.mean(0).tolist()]} cov {[round(v, 2) for v in cov.flatten().tolist()]}")
print("target mean", shift.tolist(), "cov", (L @ L.T).flatten().tolist())
