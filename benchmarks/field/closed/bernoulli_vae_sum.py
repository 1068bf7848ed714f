# expect: healthy
# about: VAE on binarised digits, loss summed over pixels and batch (in the thousands), KL annealed
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
pixels = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
pixels = (pixels > 0.4).float()
perm = torch.randperm(len(pixels))
train_dl = DataLoader(TensorDataset(pixels[perm[:1500]]), batch_size=64, shuffle=True)
test_x = pixels[perm[1500:]]


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 128), nn.ELU())
        self.mu, self.logvar = nn.Linear(128, z), nn.Linear(128, z)
        self.dec = nn.Sequential(nn.Linear(z, 128), nn.ELU(), nn.Linear(128, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def loss_function(logits, x, mu, logvar, beta=1.0):
    bce = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + beta * kld, bce, kld


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=24)
for epoch in range(1, 25):
    model.train()
    train_loss = 0
    for (x,) in train_dl:
        optimizer.zero_grad()
        out, mu, logvar = model(x)
        loss, _, _ = loss_function(out, x, mu, logvar, beta=min(1.0, epoch / 8))
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    scheduler.step()
    if epoch % 4 == 0:
        model.eval()
        with torch.no_grad():
            out, mu, logvar = model(test_x)
            tot, b, k = loss_function(out, test_x, mu, logvar)
        print(f"====> Epoch {epoch}: train {train_loss:.0f} (last batch {loss.item():.1f})  test nats/img {tot / len(test_x):.2f} = {b / len(test_x):.2f} + {k / len(test_x):.2f}")
base = pixels[perm[:1500]].mean(0).clamp(1e-3, 1 - 1e-3)
print("independent-pixel baseline nats/img %.2f" % F.binary_cross_entropy(base.expand_as(test_x), test_x, reduction="sum").div(len(test_x)).item())
