# expect: healthy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader


@dataclass
class Config:
    latent: int = 8
    hidden: int = 128
    lr: float = 1e-3
    epochs: int = 40
    batch: int = 64
    beta: float = 1.0


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU())
        self.mu = nn.Linear(cfg.hidden, cfg.latent)
        self.logvar = nn.Linear(cfg.hidden, cfg.latent)
        self.dec = nn.Sequential(nn.Linear(cfg.latent, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


class VAETrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = VAE(cfg)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
        g = torch.Generator().manual_seed(0)
        p = torch.randperm(len(x), generator=g)
        self.train_x, self.test_x = x[p[:1500]], x[p[1500:]]

    def loss(self, x):
        logits, mu, logvar = self.model(x)
        rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
        kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1)
        return (rec + self.cfg.beta * kl).mean(), rec.mean().item(), kl.mean().item()

    def run(self):
        loader = DataLoader(self.train_x, self.cfg.batch, shuffle=True, drop_last=True)
        for epoch in range(1, self.cfg.epochs + 1):
            self.model.train()
            for x in loader:
                loss, r, k = self.loss(x)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            if epoch % 10 == 0:
                print(f"[{epoch:3d}/{self.cfg.epochs}] elbo={-loss.item():.2f} rec={r:.2f} kl={k:.2f}")
        self.model.eval()
        with torch.no_grad():
            l, r, k = self.loss(self.test_x)
        print(f"TEST elbo={-l.item():.2f} rec={r:.2f} kl={k:.2f}")
        return -l.item()


if __name__ == "__main__":
    torch.manual_seed(5)
    VAETrainer(Config()).run()
