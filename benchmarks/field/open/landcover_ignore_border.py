# expect: healthy
# about: land-cover segmentation with five unequal classes, unlabelled border pixels ignored with index 255, median-frequency weights, mean IoU
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.ndimage import gaussian_filter

torch.set_num_threads(1)
rs = np.random.RandomState(8)
torch.manual_seed(8)
SPECTRA = rs.uniform(0.1, 0.9, (5, 4))


def tile():
    field = np.stack([gaussian_filter(rs.randn(32, 32), 4) for _ in range(5)])
    field /= field.std((1, 2), keepdims=True)
    field += np.array([1.2, 0.7, 0.2, -0.3, -0.5])[:, None, None]
    label = field.argmax(0)
    img = SPECTRA[label].transpose(2, 0, 1) + 0.18 * rs.randn(4, 32, 32) + 0.05 * rs.randn(4, 1, 1)
    edge = np.zeros((32, 32), bool)
    edge[1:] |= label[1:] != label[:-1]
    edge[:, 1:] |= label[:, 1:] != label[:, :-1]
    marked = label.copy()
    marked[edge] = 255
    return img.astype(np.float32), marked


data = [tile() for _ in range(350)]
X = torch.tensor(np.stack([a for a, _ in data]))
Y = torch.tensor(np.stack([b for _, b in data]))
Xt, Yt, Xv, Yv = X[:300], Y[:300], X[300:], Y[300:]
mean, std = Xt.mean((0, 2, 3), keepdim=True), Xt.std((0, 2, 3), keepdim=True)
Xt, Xv = (Xt - mean) / std, (Xv - mean) / std
freq = torch.stack([(Yt == c).sum() for c in range(5)]).float()
weights = (freq.median() / freq).clamp(max=5)
print("class shares", (freq / freq.sum()).numpy().round(3), "unlabelled", round((Yt == 255).float().mean().item(), 3))


class SegNet(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda i, o, d: nn.Sequential(nn.Conv2d(i, o, 3, padding=d, dilation=d, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))
        self.a, self.b, self.c, self.d = block(4, 16, 1), block(16, 24, 2), block(24, 24, 4), block(24, 24, 1)
        self.head = nn.Conv2d(16 + 24, 5, 1)

    def forward(self, x):
        a = self.a(x)
        return self.head(torch.cat([a, self.d(self.c(self.b(a)))], 1))


def iou(net):
    net.eval()
    with torch.no_grad():
        p = net(Xv).argmax(1)
    net.train()
    ok = Yv != 255
    return [(((p == c) & (Yv == c) & ok).sum() / (((p == c) | (Yv == c)) & ok).sum()).item() for c in range(5)]


net = SegNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
EPOCHS = 9
poly = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: (1 - k / (EPOCHS * 38)) ** 0.9)
for epoch in range(EPOCHS):
    tot = 0.0
    for b in torch.randperm(300).split(8):
        xb, yb = Xt[b], Yt[b]
        if torch.rand(()) < 0.5:
            xb, yb = xb.flip(-1), yb.flip(-1)
        loss = F.cross_entropy(net(xb), yb, weight=weights, ignore_index=255)
        opt.zero_grad()
        loss.backward()
        opt.step()
        poly.step()
        tot += loss.item() / 38
    v = iou(net)
    print(f"epoch {epoch} loss {tot:.4f} mIoU {np.mean(v):.3f} per class {np.round(v, 3)}")
near = ((Xv * std + mean)[:, None] - torch.tensor(SPECTRA).float()[None, :, :, None, None]).pow(2).sum(2).argmin(1)
ok = Yv != 255
print("nearest spectrum per pixel:", np.round(np.mean([(((near == c) & (Yv == c) & ok).sum() / (((near == c) | (Yv == c)) & ok).sum()).item() for c in range(5)]), 3))
