# expect: model-too-small
import torch
import torch.nn as nn
import torch.nn.functional as F


def textures(n, s=24):
    stripes = (torch.arange(s) % 2).float()
    horiz = stripes.view(1, s, 1).expand(n, s, s)
    vert = stripes.view(1, 1, s).expand(n, s, s)
    checker = (horiz + vert) % 2
    bank = torch.stack([horiz, vert, checker], 1)
    cut = torch.randint(7, s - 7, (n, 2))
    gx, gy = torch.meshgrid(torch.arange(s), torch.arange(s), indexing="ij")
    lab = (gx[None] > cut[:, 0, None, None]).long() + ((gx[None] > cut[:, 0, None, None]) & (gy[None] > cut[:, 1, None, None])).long()
    img = bank.gather(1, lab[:, None])
    return img + 0.15 * torch.randn(n, 1, s, s), lab


class SegNet(nn.Module):
    def __init__(self, ch=24, n_cls=3):
        super().__init__()
        self.c1 = nn.Conv2d(1, ch, 1)
        self.c2 = nn.Conv2d(ch, ch, 1)
        self.c3 = nn.Conv2d(ch, ch, 1)
        self.head = nn.Conv2d(ch, n_cls, 1)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return self.head(x)


class SegTrainer:
    def __init__(self, net, lr=3e-3):
        self.net, self.opt = net, torch.optim.Adam(net.parameters(), lr=lr)

    def epoch(self, x, y):
        self.net.train()
        s = 0
        for k in torch.randperm(len(x)).split(16):
            loss = F.cross_entropy(self.net(x[k]), y[k])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            s += loss.item()
        return s / (len(x) / 16)

    @torch.no_grad()
    def miou(self, x, y):
        self.net.eval()
        p = self.net(x).argmax(1)
        return sum((((p == c) & (y == c)).sum() / ((p == c) | (y == c)).sum().clamp(min=1)).item() for c in range(3)) / 3


torch.manual_seed(1)
xt, yt = textures(320)
xv, yv = textures(80)
t = SegTrainer(SegNet())
for e in range(8):
    print(e, f"{t.epoch(xt, yt):.4f}", f"{t.miou(xv, yv):.4f}")
final_miou = t.miou(xv, yv)
