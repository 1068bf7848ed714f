# expect: detached-graph
# about: GAN whose generator loss reuses the detached fakes of the discriminator step
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(4)


def real(n):
    return torch.randn(n, 2) * torch.tensor([0.3, 0.6]) + torch.tensor([1.5, -1.0])


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, x):
        return self.main(x)


netG, netD = Generator(), Discriminator()
criterion = nn.BCELoss()
optD = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
B = 64
for it in range(600):
    optD.zero_grad()
    fake = netG(torch.randn(B, 4)).detach()
    errD = criterion(netD(real(B)), torch.ones(B, 1)) + criterion(netD(fake), torch.zeros(B, 1))
    errD.backward()
    optD.step()

    optG.zero_grad()
    errG = criterion(netD(fake), torch.ones(B, 1))
    errG.backward()
    optG.step()
    if it % 75 == 0 or it == 599:
        with torch.no_grad():
            s = netG(torch.randn(2000, 4))
        print("[%d/600] Loss_D: %.4f Loss_G: %.4f sample mean %.2f %.2f (target 1.50 -1.00)" % (it, errD.item(), errG.item(), *s.mean(0).tolist()))
# cure: - errG = criterion(netD(fake), torch.ones(B, 1))
# cure: + fake = netG(torch.randn(B, 4))
# cure: + errG = criterion(netD(fake), torch.ones(B, 1))
