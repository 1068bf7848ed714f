# expect: healthy
import argparse
import math
import torch
from torch import nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description="segment discs on textured noise")
parser.add_argument("--iters", type=int, default=220)
parser.add_argument("--bs", type=int, default=12)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--size", type=int, default=32)
args = parser.parse_args()


def make(n, size, gen):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    img = torch.randn(n, 1, size, size, generator=gen) * 0.5
    mask = torch.zeros(n, 1, size, size)
    for i in range(n):
        for _ in range(2):
            cx, cy = torch.randint(6, size - 6, (2,), generator=gen).tolist()
            r = 3 + 4 * torch.rand(1, generator=gen).item()
            mask[i, 0][((xx - cx) ** 2 + (yy - cy) ** 2) < r * r] = 1
    return img + 0.9 * mask, mask


def double(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2, self.mid = double(1, c), double(c, 2 * c), double(2 * c, 4 * c)
        self.u2, self.u1 = double(6 * c, 2 * c), double(3 * c, c)
        self.head = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([F.interpolate(m, scale_factor=2), b], 1))
        a = self.u1(torch.cat([F.interpolate(b, scale_factor=2), a], 1))
        return self.head(a)


def dice(p, t, eps=1.0):
    inter = (p * t).sum((1, 2, 3))
    return (2 * inter + eps) / (p.sum((1, 2, 3)) + t.sum((1, 2, 3)) + eps)


g = torch.Generator().manual_seed(0)
torch.manual_seed(0)
xs, ys = make(240, args.size, g)
xv, yv = make(60, args.size, g)
net = UNet()
opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.iters)
for it in range(args.iters):
    idx = torch.randint(0, len(xs), (args.bs,))
    out = net(xs[idx])
    loss = F.binary_cross_entropy_with_logits(out, ys[idx]) + 1 - dice(out.sigmoid(), ys[idx]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if (it + 1) % 40 == 0:
        net.eval()
        with torch.no_grad():
            d = dice((net(xv) > 0).float(), yv).mean().item()
        net.train()
        print(f"iter {it + 1} loss {loss.item():.3f} val dice {d:.3f}")
assert not math.isnan(loss.item())
print("val_dice=%.4f" % d)
