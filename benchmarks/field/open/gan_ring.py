# expect: healthy
# about: GAN on a noisy ring; two optimizers, losses that hover and do not fall
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
nz, bs = 8, 128
netG = nn.Sequential(nn.Linear(nz, 64), nn.ReLU(True), nn.Linear(64, 64), nn.ReLU(True), nn.Linear(64, 2))
netD = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2, True), nn.Linear(64, 64), nn.LeakyReLU(0.2, True), nn.Linear(64, 1))
criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))


def real_batch(n):
    t = torch.rand(n) * 2 * math.pi
    return torch.stack([t.cos(), t.sin()], 1) + 0.1 * torch.randn(n, 2)


ones, zeros = torch.ones(bs, 1), torch.zeros(bs, 1)
for i in range(1500):
    # update D
    netD.zero_grad()
    errD_real = criterion(netD(real_batch(bs)), ones)
    errD_real.backward()
    fake = netG(torch.randn(bs, nz))
    errD_fake = criterion(netD(fake.detach()), zeros)
    errD_fake.backward()
    optD.step()
    # update G
    netG.zero_grad()
    errG = criterion(netD(fake), ones)
    errG.backward()
    optG.step()
    if i % 250 == 249:
        with torch.no_grad():
            r = netG(torch.randn(2000, nz)).norm(dim=1)
        print(f"[{i}] Loss_D: {(errD_real + errD_fake).item():.3f} Loss_G: {errG.item():.3f} radius {r.mean():.3f} +- {r.std():.3f}")
