"""A generative adversarial net learns a skewed two-dimensional cloud; two optimizers, alternating steps."""

import torch
from torch import nn

SEED = 0


def real_points(n):
    base = torch.randn(n, 2)
    return torch.stack([1.5 + 0.8 * base[:, 0], -1.0 + 0.5 * base[:, 1] + 0.4 * base[:, 0]], dim=1)


class Generator(nn.Module):
    def __init__(self, noise=6):
        super().__init__()
        self.noise = noise
        self.layers = nn.Sequential(nn.Linear(noise, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))

    def forward(self, n):
        return self.layers(torch.randn(n, self.noise))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1)
        )

    def forward(self, x):
        return self.layers(x)


def closeness(generator):
    """1 when means and covariances of generated and real points agree."""
    with torch.no_grad():
        fake, real = generator(2000), real_points(2000)
    mean_gap = (fake.mean(0) - real.mean(0)).norm()
    cov_gap = (torch.cov(fake.T) - torch.cov(real.T)).norm()
    return 1 - (mean_gap + cov_gap).item()


torch.set_num_threads(1)
torch.manual_seed(SEED)
G, D = Generator(), Discriminator()
bce = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
batch_size, iterations = 96, 900
ones, zeros = torch.ones(batch_size, 1), torch.zeros(batch_size, 1)
scores = []
for it in range(1, iterations + 1):
    for group in opt_g.param_groups + opt_d.param_groups:
        group["lr"] *= 0.9985

    real, fake = real_points(batch_size), G(batch_size)
    loss_d = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    fake = G(batch_size)
    loss_g = bce(D(fake), ones)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()

    if it % 100 == 0:
        scores.append(closeness(G))
        print(f"[{it}/{iterations}] loss_D {loss_d.item():.3f} loss_G {loss_g.item():.3f} closeness {scores[-1]:.3f}")

quality = sum(scores[-3:]) / 3
print(f"FINAL train_loss={loss_d.item():.5f} val_loss={1 - quality:.5f} quality={quality:.4f}")
