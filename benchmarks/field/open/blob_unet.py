# expect: healthy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(4)


def make_images(n, s=32):
    yy, xx = torch.meshgrid(torch.arange(s), torch.arange(s), indexing="ij")
    img = 0.35 * torch.randn(n, 1, s, s)
    mask = torch.zeros(n, 1, s, s)
    for k in range(n):
        for _ in range(torch.randint(1, 4, ()).item()):
            cx, cy = torch.randint(5, s - 5, (2,)).tolist()
            r = torch.randint(3, 6, ()).item()
            disc = ((xx - cx) ** 2 + (yy - cy) ** 2) <= r * r
            mask[k, 0][disc] = 1
    return img + 0.8 * mask, mask


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2, self.mid = block(1, c), block(c, 2 * c), block(2 * c, 4 * c)
        self.up2, self.u2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), block(4 * c, 2 * c)
        self.up1, self.u1 = nn.ConvTranspose2d(2 * c, c, 2, 2), block(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        y = self.u2(torch.cat([self.up2(m), b], 1))
        y = self.u1(torch.cat([self.up1(y), a], 1))
        return self.out(y)


def neg_dice(logits, m):
    p = logits.sigmoid()
    inter = (p * m).sum((1, 2, 3))
    return -((2 * inter + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)).mean()


xtr, mtr = make_images(320)
xva, mva = make_images(80)
net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3, factor=0.5)
for ep in range(18):
    net.train()
    order = torch.randperm(len(xtr))
    tl = 0
    for i in range(0, len(xtr), 16):
        b = order[i:i + 16]
        loss = neg_dice(net(xtr[b]), mtr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl += loss.item() / 20
    net.eval()
    with torch.no_grad():
        lo = net(xva)
        vl = neg_dice(lo, mva).item()
        pred = (lo > 0).float()
        iou = ((pred * mva).sum() / ((pred + mva) > 0).sum()).item()
    plateau.step(vl)
    print(f"epoch {ep:2d} train {tl:.3f} val {vl:.3f} IoU {iou:.3f}")
th = (F.avg_pool2d(xva, 3, 1, 1) > 0.4).float()
print("threshold baseline IoU %.3f" % ((th * mva).sum() / ((th + mva) > 0).sum()).item())
