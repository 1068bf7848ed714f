# expect: detached-graph
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class Generator(nn.Module):
    def __init__(self, z=16):
        super().__init__()
        self.z = z
        self.main = nn.Sequential(nn.Linear(z, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 64), nn.Tanh())

    def forward(self, n):
        return self.main(torch.randn(n, self.z))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(64, 128), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(128, 64),
                                  nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.main(x)


class GANTrainer:
    def __init__(self, x, lr=5e-4):
        self.x = x
        self.g, self.d = Generator(), Discriminator()
        self.og = torch.optim.Adam(self.g.parameters(), lr, betas=(0.5, 0.999))
        self.od = torch.optim.Adam(self.d.parameters(), lr, betas=(0.5, 0.999))

    def d_step(self, real, fake):
        r, f = self.d(real), self.d(fake)
        return F.binary_cross_entropy_with_logits(r, torch.full_like(r, 0.9)) + F.binary_cross_entropy_with_logits(f, torch.zeros_like(f))

    def g_step(self, fake):
        f = self.d(fake)
        return F.binary_cross_entropy_with_logits(f, torch.ones_like(f))

    def fit(self, iters, bs=64):
        for i in range(iters):
            real = self.x[torch.randint(len(self.x), (bs,))]
            fake = self.g(bs).detach()
            ld = self.d_step(real, fake)
            self.od.zero_grad()
            ld.backward()
            self.od.step()

            lg = self.g_step(fake)
            self.og.zero_grad()
            lg.backward()
            self.og.step()
            if i % 500 == 0:
                print(f"[{i}/{iters}] Loss_D: {ld.item():.4f} Loss_G: {lg.item():.4f}")

    @torch.no_grad()
    def nearest(self, n=500):
        return torch.cdist(self.g(n), self.x).min(1).values.mean().item()


torch.manual_seed(3)
x = torch.tensor(load_digits().data / 8 - 1, dtype=torch.float32)
gan = GANTrainer(x)
gan.fit(2500)
gap = gan.nearest()
print("mean distance of samples to data", gap)
