# expect: healthy
# about: key point heat maps with plain MSE: the loss is 1e-3 from the start because the maps are nearly all zero; pixel error tells
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(66)
S = 24
grid = torch.arange(S).float()


def gauss(c, sigma=1.2):
    return torch.exp(-((grid[None, :, None] - c[:, 1, None, None]) ** 2 + (grid[None, None, :] - c[:, 0, None, None]) ** 2) / (2 * sigma ** 2))


def scene(n):
    a = 3 + (S - 6) * torch.rand(n, 2)
    b = 3 + (S - 6) * torch.rand(n, 2)
    ring = gauss(a, 2.2) - 1.4 * gauss(a, 1.2)
    img = ring + gauss(b, 1.5) + 0.15 * torch.randn(n, S, S)
    return img[:, None], torch.stack([gauss(a), gauss(b)], 1), torch.stack([a, b], 1)


class Hourglass(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(16, 24, 3, 2, 1), nn.BatchNorm2d(24), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU())
        self.up = nn.Conv2d(24, 16, 1)
        self.out = nn.Conv2d(16, 2, 3, padding=1)

    def forward(self, x):
        a = self.a(x)
        return self.out(F.relu(a + F.interpolate(self.up(self.b(a)), scale_factor=2.0, mode="bilinear")))


net = Hourglass()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 240)
xv, hv, pv = scene(200)
for step in range(1, 241):
    net.train()
    x, h, _ = scene(32)
    loss = F.mse_loss(net(x), h)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 30 == 0:
        net.eval()
        with torch.no_grad():
            o = net(xv)
        best = o.flatten(2).argmax(2)
        xy = torch.stack([best % S, best // S], -1).float()
        print(f"step {step} mse {loss.item():.5f} val {F.mse_loss(o, hv).item():.5f} median pixel error {(xy - pv).norm(dim=-1).median():.2f}")
