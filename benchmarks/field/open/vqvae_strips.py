# expect: healthy
# about: VQ-VAE with straight-through codes; codebook and commitment terms use detach as published
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(44)


class Quantizer(nn.Module):
    def __init__(self, codes=32, dim=8):
        super().__init__()
        self.book = nn.Embedding(codes, dim)
        nn.init.normal_(self.book.weight, std=0.5)

    def forward(self, z):
        flat = z.transpose(1, 2)
        dist = torch.cdist(flat.reshape(-1, flat.shape[-1]), self.book.weight)
        idx = dist.argmin(1).view(flat.shape[:2])
        q = self.book(idx)
        codebook = F.mse_loss(q, flat.detach())
        commit = F.mse_loss(flat, q.detach())
        q = flat + (q - flat).detach()
        return q.transpose(1, 2), codebook + 0.25 * commit, idx


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv1d(32, 32, 4, 2, 1), nn.ReLU(), nn.Conv1d(32, 8, 1))
        self.vq = Quantizer()
        self.dec = nn.Sequential(nn.Conv1d(8, 32, 3, padding=1), nn.ReLU(), nn.ConvTranspose1d(32, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose1d(32, 1, 4, 2, 1))

    def forward(self, x):
        q, vq_loss, idx = self.vq(self.enc(x))
        return self.dec(q), vq_loss, idx


def waves(n, length=48):
    t = torch.linspace(0, 1, length)
    f = 1 + 4 * torch.rand(n, 1)
    return (torch.sin(6.283 * (f * t + torch.rand(n, 1))) * (0.5 + torch.rand(n, 1)))[:, None]


model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
held = waves(300)
for step in range(1, 601):
    x = waves(64)
    out, vq_loss, _ = model(x)
    recon = F.mse_loss(out, x)
    loss = recon + vq_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 75 == 0:
        with torch.no_grad():
            o, _, idx = model(held)
            print(f"step {step} recon {recon.item():.4f} vq {vq_loss.item():.4f} held-out R2 {1 - F.mse_loss(o, held) / held.var():.3f} codes used {idx.unique().numel()}")
