# expect: healthy
# about: VAE whose KL weight is annealed from 0 to 1: the training loss rises during the ramp as it must
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
data = (torch.tensor(load_digits().data, dtype=torch.float32) / 16)
perm = torch.randperm(len(data))
train, test = data[perm[:1500]], data[perm[1500:]]


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 128), nn.GELU(), nn.Linear(128, 64))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def terms(out, mu, logvar, x):
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kl


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
step, warm = 0, 400
for epoch in range(25):
    for b in torch.randperm(1500).split(50):
        beta = min(1.0, step / warm)
        rec, kl = terms(*model(train[b]), train[b])
        loss = rec + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
    with torch.no_grad():
        r, k = terms(*model(test), test)
    print(f"epoch {epoch} beta {beta:.2f} loss {loss.item():.3f} test recon {r:.3f} kl {k:.3f} elbo {-(r + k):.3f}")
