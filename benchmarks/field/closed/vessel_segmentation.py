# expect: double-softmax
# about: small encoder-decoder segments thin lines; sigmoid output goes into BCEWithLogitsLoss and the masks stay empty
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(2)


def make_batch(n, g):
    yy, xx = torch.meshgrid(torch.arange(24.), torch.arange(24.), indexing="ij")
    a = torch.rand(n, 1, 1, generator=g) * 3.1416
    c = 12 + 5 * torch.randn(n, 1, 1, generator=g)
    d = ((xx - 12) * a.sin() - (yy - 12) * a.cos() - (c - 12)).abs()
    m = (d < 1.3).float()
    img = 0.9 * m + 0.35 * torch.randn(n, 24, 24, generator=g)
    return img.unsqueeze(1), m.unsqueeze(1)


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = conv(1, 8), conv(8, 16)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.c = conv(16, 8)
        self.head = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        y = self.c(torch.cat([a, self.up(b)], 1))
        return torch.sigmoid(self.head(y))


def dice(p, t):
    inter = (p * t).sum((1, 2, 3))
    return ((2 * inter + 1) / (p.sum((1, 2, 3)) + t.sum((1, 2, 3)) + 1)).mean().item()


g = torch.Generator().manual_seed(0)
train_x, train_y = make_batch(400, g)
val_x, val_y = make_batch(100, g)
model = Segmenter()
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    model.train()
    run = 0.0
    for idx in torch.randperm(400).split(16):
        pred = model(train_x[idx])
        loss = loss_fn(pred, train_y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 25
    model.eval()
    with torch.no_grad():
        pred = model(val_x)
        print("ep %d | train %.4f | val %.4f | dice %.3f | mean prob %.3f" % (epoch, run, loss_fn(pred, val_y).item(), dice((pred > 0.5).float(), val_y), pred.mean().item()))
# cure: - loss_fn = nn.BCEWithLogitsLoss()
# cure: + loss_fn = nn.BCELoss()
