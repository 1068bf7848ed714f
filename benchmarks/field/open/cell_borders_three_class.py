# expect: healthy
# about: background / inside / border segmentation of touching cells, small encoder-decoder, weighted cross entropy plus mean IoU
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
gen = torch.Generator().manual_seed(5)
S = 32
yy, xx = torch.meshgrid(torch.arange(S).float(), torch.arange(S).float(), indexing="ij")


def scene():
    label = torch.zeros(S, S, dtype=torch.long)
    img = torch.zeros(S, S)
    for _ in range(int(torch.randint(2, 5, (1,), generator=gen))):
        cx, cy = (torch.rand(2, generator=gen) * (S - 10) + 5).tolist()
        r = 4 + 4 * torch.rand(1, generator=gen).item()
        d = ((xx - cx) ** 2 + (yy - cy) ** 2).sqrt()
        inside, border = d < r - 1, (d >= r - 1) & (d < r + 1)
        label[inside], label[border] = 1, 2
        img = torch.where(d < r + 1, 0.5 + 0.4 * torch.exp(-((d - r) ** 2) / 2), img)
    return img + 0.12 * torch.randn(S, S, generator=gen), label


def dataset(n):
    pairs = [scene() for _ in range(n)]
    return torch.stack([p[0] for p in pairs])[:, None] * 2 - 0.6, torch.stack([p[1] for p in pairs])


def conv(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.GroupNorm(4, cout), nn.ReLU(inplace=True))


class SmallUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2, self.mid = conv(1, c), conv(c, 2 * c), conv(2 * c, 4 * c)
        self.up1, self.u1 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), conv(4 * c, 2 * c)
        self.up2, self.u2 = nn.ConvTranspose2d(2 * c, c, 2, 2), conv(2 * c, c)
        self.out = nn.Conv2d(c, 3, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        m = self.u1(torch.cat([self.up1(m), b], 1))
        m = self.u2(torch.cat([self.up2(m), a], 1))
        return self.out(m)


x, y = dataset(420)
xv, yv = dataset(100)
weight = torch.tensor([0.5, 1.0, 2.0])
net = SmallUNet()
optim = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=1e-4)
EPOCHS = 9
poly = torch.optim.lr_scheduler.PolynomialLR(optim, total_iters=EPOCHS * 27, power=0.9)


def iou(pred, target):
    return [((pred == k) & (target == k)).sum().item() / max(1, ((pred == k) | (target == k)).sum().item()) for k in range(3)]


for epoch in range(EPOCHS):
    net.train()
    s = 0.0
    for idx in torch.randperm(len(x)).split(16):
        loss = F.cross_entropy(net(x[idx]), y[idx], weight=weight)
        optim.zero_grad()
        loss.backward()
        optim.step()
        poly.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(xv)
    scores = iou(out.argmax(1), yv)
    print(f"epoch {epoch:2d} train {s / 27:.4f} val {F.cross_entropy(out, yv, weight=weight).item():.4f} IoU " + " ".join(f"{v:.3f}" for v in scores))
