# expect: wrong-loss
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser(description="VAE on 8x8 digits")
parser.add_argument("--z", type=int, default=10)
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--batch-size", type=int, default=64)
opt = parser.parse_args()
torch.manual_seed(0)


class ConvVAE(nn.Module):
    def __init__(self, z):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten())
        self.stats = nn.Linear(128, 2 * z)
        self.dec = nn.Sequential(nn.Linear(z, 128), nn.ReLU(), nn.Unflatten(1, (32, 2, 2)),
                                 nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, 2, 1))

    def encode(self, x):
        return self.stats(self.enc(x)).chunk(2, 1)

    def forward(self, x):
        mu, lv = self.encode(x)
        return self.dec(mu + torch.randn_like(mu) * torch.exp(lv / 2)), mu, lv


def criterion(out, x, mu, lv):
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="mean")
    kld = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp()) / x.size(0)
    return rec + kld


x = torch.tensor(load_digits().images / 16, dtype=torch.float32).unsqueeze(1)
train, test = x[:1500], x[1500:]
model = ConvVAE(opt.z)
optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
for epoch in range(opt.epochs):
    model.train()
    train_loss = 0
    for idx in torch.randperm(len(train)).split(opt.batch_size):
        out, mu, lv = model(train[idx])
        loss = criterion(out, train[idx], mu, lv)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    if epoch % 5 == 4:
        print("====> Epoch: {} Average loss: {:.4f}".format(epoch + 1, train_loss))
model.eval()
with torch.no_grad():
    mu, _ = model.encode(test)
    rec_mse = F.mse_loss(model.dec(mu).sigmoid(), test).item()
print("reconstruction mse on test:", rec_mse, " pixel variance:", test.var(0).mean().item())
