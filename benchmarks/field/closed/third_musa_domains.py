# expect: healthy
import argparse
import logging
from itertools import cycle
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("domains")


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 64), nn.ReLU())
        self.cls = nn.Linear(64, 10)
        self.dom = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, lam=0.0):
        h = self.f(x)
        return self.cls(h), self.dom(Reverse.apply(h, lam)).squeeze(1)


def main(a):
    torch.manual_seed(a.seed)
    d = load_digits()
    x, y = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
    p = torch.randperm(len(x))
    xs, ys = x[p[:800]], y[p[:800]]
    xt = (1 - x[p[800:]]) * 0.85 + 0.1 * torch.randn(len(p) - 800, 1, 8, 8)
    src = DataLoader(TensorDataset(torch.cat([xs, 1 - xs[:400]]), torch.cat([ys, ys[:400]])), batch_size=48, shuffle=True)
    tgt = DataLoader(TensorDataset(xt[:600]), batch_size=48, shuffle=True)
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    total, step = a.epochs * len(src), 0
    for ep in range(a.epochs):
        for (bx, by), (bt,) in zip(src, cycle(tgt)):
            lam = a.strength * (2 / (1 + torch.exp(torch.tensor(-10.0 * step / total))) - 1).item()
            cs, ds = net(bx, lam)
            _, dt = net(bt, lam)
            task = F.cross_entropy(cs, by)
            dom = F.binary_cross_entropy_with_logits(ds, torch.ones_like(ds)) + F.binary_cross_entropy_with_logits(dt, torch.zeros_like(dt))
            opt.zero_grad()
            (task + dom).backward()
            opt.step()
            step += 1
        with torch.no_grad():
            acc = (net(xt[600:])[0].argmax(1) == y[p[1400:]]).float().mean().item()
        log.info("epoch %d task %.3f domain %.3f target acc %.3f", ep, task.item(), dom.item(), acc)


if __name__ == "__main__":
    q = argparse.ArgumentParser()
    q.add_argument("--epochs", type=int, default=16)
    q.add_argument("--strength", type=float, default=0.05)
    q.add_argument("--seed", type=int, default=0)
    main(q.parse_args())
