# expect: healthy
"""Overcomplete ReLU autoencoder with an L1 penalty; almost all code units are zero for a given input."""
import torch
import torch.nn as nn
from sklearn.decomposition import PCA

torch.manual_seed(31)
D, K = 32, 64
atoms = nn.functional.normalize(torch.randn(K, D), dim=1)


def sample(n):
    mask = (torch.rand(n, K) < 0.04).float()
    return (mask * (0.5 + torch.rand(n, K))) @ atoms + 0.02 * torch.randn(n, D)


class SparseAE(nn.Module):
    def __init__(self, m=128):
        super().__init__()
        self.dec = nn.Parameter(nn.functional.normalize(torch.randn(m, D), dim=1))
        self.enc = nn.Linear(D, m)
        with torch.no_grad():
            self.enc.weight.copy_(self.dec)
            self.enc.bias.fill_(-0.1)

    def forward(self, x):
        z = torch.relu(self.enc(x))
        return z @ nn.functional.normalize(self.dec, dim=1), z


model = SparseAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
val = sample(2000)
for step in range(1, 4001):
    x = sample(256)
    r, z = model(x)
    rec = ((r - x) ** 2).sum(1).mean()
    l1 = z.sum(1).mean()
    loss = rec + 0.05 * l1
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 500 == 0:
        with torch.no_grad():
            r, z = model(val)
            fvu = ((r - val) ** 2).sum() / ((val - val.mean(0)) ** 2).sum()
            l0 = (z > 1e-3).float().sum(1).mean()
            cos = (nn.functional.normalize(model.dec, dim=1) @ atoms.T).max(0).values.mean()
        print(f"step {step} loss {loss.item():.4f} unexplained {fvu:.4f} active units {l0:.1f}/128 atom match {cos:.3f}")
p = PCA(8).fit(sample(4000).numpy())
e = val.numpy() - p.inverse_transform(p.transform(val.numpy()))
print("PCA-8 unexplained %.4f" % ((e ** 2).sum() / ((val - val.mean(0)) ** 2).sum().item()))
