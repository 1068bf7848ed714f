# expect: healthy
# about: WGAN with gradient penalty on a 1-d mixture; critic loss hovers near a small negative value at the end
import torch
from torch import nn, autograd

torch.manual_seed(3)
torch.set_num_threads(1)


def real_batch(n):
    centers = torch.tensor([-2.0, 0.5, 2.0])
    return centers[torch.randint(3, (n,))].unsqueeze(1) + 0.2 * torch.randn(n, 1)


G = nn.Sequential(nn.Linear(4, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
D = nn.Sequential(nn.Linear(1, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=5e-4, betas=(0.0, 0.9))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.9))
g_sched = torch.optim.lr_scheduler.LinearLR(g_opt, 1.0, 0.05, total_iters=500)
d_sched = torch.optim.lr_scheduler.LinearLR(d_opt, 1.0, 0.05, total_iters=500)


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    grad, = autograd.grad(D(mix).sum(), mix, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


for it in range(500):
    for _ in range(4):
        real = real_batch(128)
        fake = G(torch.randn(128, 4)).detach()
        d_loss = D(fake).mean() - D(real).mean() + 0.5 * gradient_penalty(real, fake)
        d_opt.zero_grad()
        d_loss.backward()
        d_opt.step()
    g_loss = -D(G(torch.randn(128, 4))).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    g_sched.step()
    d_sched.step()
    if it % 50 == 0 or it == 499:
        with torch.no_grad():
            a = G(torch.randn(4000, 4)).squeeze(1).sort().values
            b = real_batch(4000).squeeze(1).sort().values
        print(f"[{it}] D {d_loss.item():+.3f}  G {g_loss.item():+.3f}  W1(sorted) {(a - b).abs().mean().item():.3f}")
