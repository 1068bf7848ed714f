# expect: healthy
# about: toy U-Net, generated circles, Dice + BCE
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(4)
torch.set_num_threads(1)


def make(n, size=24):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    c = torch.rand(n, 2) * (size - 10) + 5
    r = torch.rand(n) * 3 + 2
    mask = ((yy - c[:, 0, None, None]) ** 2 + (xx - c[:, 1, None, None]) ** 2 < r[:, None, None] ** 2).float()[:, None]
    return mask + 0.5 * torch.randn(n, 1, size, size), mask


def double_conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2, self.mid = double_conv(1, 8), double_conv(8, 16), double_conv(16, 16)
        self.u2, self.u1 = double_conv(32, 8), double_conv(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([F.interpolate(m, scale_factor=2), b], 1))
        a = self.u1(torch.cat([F.interpolate(b, scale_factor=2), a], 1))
        return self.out(a)


def dice_loss(logits, target, smooth=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    return (1 - (2 * inter + smooth) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + smooth)).mean()


x_train, y_train = make(400)
x_val, y_val = make(80)
net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 9)
for epoch in range(9):
    net.train()
    for idx in torch.randperm(400).split(16):
        logits = net(x_train[idx])
        loss = dice_loss(logits, y_train[idx]) + F.binary_cross_entropy_with_logits(logits, y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    net.eval()
    with torch.no_grad():
        lv = net(x_val)
        val = dice_loss(lv, y_val) + F.binary_cross_entropy_with_logits(lv, y_val)
        iou = ((lv > 0) & (y_val > 0)).sum() / ((lv > 0) | (y_val > 0)).sum()
    print(f"epoch {epoch}: train {loss.item():.4f} val {val.item():.4f} IoU {iou.item():.3f}")
