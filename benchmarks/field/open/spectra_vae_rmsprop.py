# expect: lr-too-high
# about: VAE of reflectance spectra, RMSprop with the rate taken over from an SGD script
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)
torch.set_num_threads(1)
wl = torch.linspace(-1, 1, 80)


def make(n):
    centre, width, depth = torch.rand(n, 1) - 0.5, 0.1 + 0.2 * torch.rand(n, 1), torch.rand(n, 1)
    slope = 0.4 * torch.randn(n, 1)
    s = 1 + slope * wl - depth * torch.exp(-((wl - centre) ** 2) / (2 * width**2))
    return s - 1 + 0.02 * torch.randn(n, 80)


class SpectraVAE(nn.Module):
    def __init__(self, bands=80, hidden=96, latent=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(bands, hidden), nn.ELU(), nn.Linear(hidden, hidden), nn.ELU())
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ELU(), nn.Linear(hidden, hidden), nn.ELU(), nn.Linear(hidden, bands))

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.logvar(h).clamp(-8, 8)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return self.dec(z), mu, lv


train_dl = DataLoader(TensorDataset(make(2560)), batch_size=64, shuffle=True)
held = make(512)
vae = SpectraVAE()
optim = torch.optim.RMSprop(vae.parameters(), lr=0.03)
sigma2 = 0.05**2
for epoch in range(1, 16):
    vae.train()
    running = 0.0
    for (x,) in train_dl:
        rec, mu, lv = vae(x)
        nll = ((rec - x) ** 2 / (2 * sigma2)).sum(1).mean()
        kl = -0.5 * (1 + lv - mu**2 - lv.exp()).sum(1).mean()
        loss = (nll + kl) / 80
        optim.zero_grad()
        loss.backward()
        optim.step()
        running += loss.item()
    vae.eval()
    with torch.no_grad():
        rmse = math.sqrt(((vae(held)[0] - held) ** 2).mean())
    print(f"epoch {epoch:2d} elbo loss {running / len(train_dl):.3f} held-out rmse {rmse:.4f}")
# cure: - optim = torch.optim.RMSprop(vae.parameters(), lr=0.03)
# cure: + optim = torch.optim.RMSprop(vae.parameters(), lr=1e-3)
