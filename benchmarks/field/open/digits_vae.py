# expect: healthy
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

torch.manual_seed(0)
X = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
perm = torch.randperm(len(X))
train, val = X[perm[:1400]], X[perm[1400:]]


class VAE(nn.Module):
    def __init__(self, d=64, h=128, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.mu = nn.Linear(h, z)
        self.logvar = nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, d))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.dec(z), mu, logvar


def elbo(recon, x, mu, logvar, beta=1.0):
    rec = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return rec + beta * kl, rec, kl


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(train), batch_size=64, shuffle=True)
for epoch in range(80):
    vae.train()
    tot = 0.0
    for (xb,) in loader:
        recon, mu, lv = vae(xb)
        loss, _, _ = elbo(recon, xb, mu, lv)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    if epoch % 10 == 0 or epoch == 79:
        vae.eval()
        with torch.no_grad():
            r, mu, lv = vae(val)
            l, rec, kl = elbo(r, val, mu, lv)
        print(f"epoch {epoch} train {tot:.1f} val/sample {l.item()/len(val):.2f} rec {rec.item()/len(val):.2f} kl {kl.item()/len(val):.2f}")

with torch.no_grad():
    h = vae.enc(val)
    mse = F.mse_loss(torch.sigmoid(vae.dec(vae.mu(h))), val).item()
    base = F.mse_loss(train.mean(0).expand_as(val), val).item()
p = PCA(8).fit(train.numpy())
pm = ((p.inverse_transform(p.transform(val.numpy())) - val.numpy()) ** 2).mean()
print(f"recon mse {mse:.4f}   mean image {base:.4f}   pca-8 {pm:.4f}")
