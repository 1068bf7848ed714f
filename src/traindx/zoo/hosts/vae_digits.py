"""Variational autoencoder on digits with a hand-written evidence lower bound."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

SEED = 0


class VAE(nn.Module):
    def __init__(self, latent=8, hidden=64):
        super().__init__()
        self.enc = nn.Linear(64, hidden)
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec1 = nn.Linear(latent, hidden)
        self.dec2 = nn.Linear(hidden, 64)

    def encode(self, x):
        h = F.relu(self.enc(x))
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def decode(self, z):
        h = F.relu(self.dec1(z))
        return torch.sigmoid(self.dec2(h))

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def elbo_loss(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / len(x)


class Session:
    def __init__(self, epochs=22, batch_size=35, lr=4e-3):
        torch.manual_seed(SEED)
        pixels = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
        pixels = pixels[torch.randperm(len(pixels))]
        self.train_x, self.val_x = pixels[:1400], pixels[1400:]
        self.epochs = epochs
        self.batch_size = batch_size
        self.model = VAE()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.schedule = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.88)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for x in self.train_x[torch.randperm(len(self.train_x))].split(self.batch_size):
            self.optimizer.zero_grad()
            recon, mu, logvar = self.model(x)
            loss = elbo_loss(recon, x, mu, logvar)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(x)
        return total / len(self.train_x)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        recon, mu, logvar = self.model(self.val_x)
        loss = elbo_loss(recon, self.val_x, mu, logvar).item()
        mean_recon = self.model.decode(mu)
        explained = 1 - F.mse_loss(mean_recon, self.val_x).item() / self.val_x.var(0).mean().item()
        return loss, explained

    def run(self):
        for epoch in range(self.epochs):
            train_loss = self.train_epoch()
            val_loss, explained = self.validate()
            self.schedule.step()
            print(f"====> Epoch: {epoch} Average loss: {train_loss:.4f}  Test set loss: {val_loss:.4f}")
        print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={explained:.4f}")


torch.set_num_threads(1)
Session().run()
