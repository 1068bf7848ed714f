# expect: lr-too-low
# also: undertrained
import argparse
import numpy as np
import torch
import torch.nn as nn


def render(n, size, rng):
    imgs = rng.normal(0, 0.25, (n, 1, size, size)).astype(np.float32)
    kinds = rng.integers(0, 4, n)
    g = np.arange(size)
    for k in range(n):
        cy, cx = rng.integers(5, size - 5, 2)
        r = rng.integers(3, 5)
        dy, dx = np.abs(g - cy)[:, None], np.abs(g - cx)[None]
        m = [dy ** 2 + dx ** 2 <= r * r, np.maximum(dy, dx) <= r, dy + dx <= r, (np.minimum(dy, dx) <= 1) & (np.maximum(dy, dx) <= r)][kinds[k]]
        imgs[k, 0] += m
    return torch.from_numpy(imgs), torch.from_numpy(kinds)


class ShapeNet(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, ch, 5, padding=2), nn.BatchNorm2d(ch), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(ch, 2 * ch, 3, padding=1), nn.BatchNorm2d(2 * ch), nn.ReLU(),
                                  nn.MaxPool2d(2))
        self.cls = nn.Sequential(nn.Dropout(0.1), nn.Linear(2 * ch * 36, 4))

    def forward(self, x):
        return self.cls(self.stem(x).flatten(1))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", default=1e-5, type=float)
    ap.add_argument("--momentum", default=0.9, type=float)
    ap.add_argument("--epochs", default=10, type=int)
    ap.add_argument("--channels", default=12, type=int)
    opt = ap.parse_args()
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    xt, yt = render(1600, 24, rng)
    xv, yv = render(500, 24, rng)
    net = ShapeNet(opt.channels)
    sgd = torch.optim.SGD(net.parameters(), lr=opt.lr, momentum=opt.momentum)
    lossf = nn.CrossEntropyLoss()
    for epoch in range(opt.epochs):
        net.train()
        meter = []
        for idx in torch.randperm(len(xt)).split(32):
            loss = lossf(net(xt[idx]), yt[idx])
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            meter.append(loss.item())
        net.eval()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean()
        print(f"Epoch: [{epoch}]\tLoss {np.mean(meter):.4f}\tAcc@1 {100 * acc:.2f}")
