# expect: missing-zero-grad
# about: least-squares GAN on two moons; the critic's and generator's turns share one loop body
import torch
from sklearn.datasets import make_moons
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)
real_all = torch.tensor(make_moons(4000, noise=0.05, random_state=6)[0], dtype=torch.float32)
real_all = (real_all - real_all.mean(0)) / real_all.std(0)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, o))


gen, dis = mlp(4, 2), mlp(2, 1)
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.99))
opt_d = torch.optim.Adam(dis.parameters(), lr=1e-3, betas=(0.5, 0.99))


def coverage(n=2000):
    with torch.no_grad():
        fake = gen(torch.randn(n, 4))
    d = torch.cdist(real_all[:1000], fake)
    return d.min(1).values.mean().item(), d.min(0).values.mean().item()


for it in range(1, 2001):
    real = real_all[torch.randint(0, 4000, (64,))]
    fake = gen(torch.randn(64, 4))
    d_loss = ((dis(real) - 1) ** 2).mean() + (dis(fake.detach()) ** 2).mean()
    d_loss.backward()
    opt_d.step()

    opt_g.zero_grad()
    g_loss = ((dis(fake) - 1) ** 2).mean()
    g_loss.backward()
    opt_g.step()
    if it % 250 == 0:
        recall, precision = coverage()
        print(f"it {it} d {d_loss.item():.3f} g {g_loss.item():.3f} dist real->fake {recall:.3f} fake->real {precision:.3f}")
# cure: - d_loss.backward()
# cure: + opt_d.zero_grad()
# cure: + d_loss.backward()
