# expect: healthy
import argparse
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def make(n, size=24, seed=0):
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    img, msk = torch.zeros(n, 1, size, size), torch.zeros(n, 1, size, size)
    for i in range(n):
        for k in range(2):
            cx, cy = torch.randint(4, size - 4, (2,), generator=g)
            r = torch.randint(2, 5, (1,), generator=g)
            disc = ((xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2).float()
            img[i, 0] += disc * (1 if k == 0 else -1)
            if k == 0:
                msk[i, 0] = torch.maximum(msk[i, 0], disc)
            else:
                msk[i, 0] = msk[i, 0] * (1 - disc)
    return img + 0.5 * torch.randn(img.shape, generator=g), msk


def cbr(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2, self.mid = cbr(1, 16), cbr(16, 24), cbr(24, 24)
        self.u1, self.out = cbr(40, 16), nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = F.max_pool2d(a, 2)
        b = checkpoint(self.d2, b, use_reentrant=False)
        b = checkpoint(self.mid, b, use_reentrant=False)
        b = F.interpolate(b, scale_factor=2)
        return self.out(self.u1(torch.cat([a, b], 1)))


def dice(p, y):
    i = (p * y).sum((1, 2, 3))
    return ((2 * i + 1) / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)).mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    torch.manual_seed(0)
    x, y = make(800)
    xv, yv = make(150, seed=1)
    net = UNet()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * 50)
    for ep in range(args.epochs):
        for b in torch.randperm(len(x)).split(16):
            lo = net(x[b])
            loss = -dice(lo.sigmoid(), y[b]) + 0.2 * F.binary_cross_entropy_with_logits(lo, y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sch.step()
        with torch.no_grad():
            pv = net(xv).sigmoid()
            hard = dice((pv > .5).float(), yv).item()
            thr = dice((F.avg_pool2d(xv, 3, 1, 1) > .4).float(), yv).item()
        print(f"epoch {ep} loss {loss.item():.4f} val dice {hard:.4f} threshold baseline {thr:.4f}")


if __name__ == "__main__":
    main()
