# expect: scrambled-axes
import argparse
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits


def load(path=None):
    d = load_digits()
    images = np.dstack(list(d.images))
    return images.astype(np.float32) / 16, d.target


def prepare(images):
    n = images.shape[-1]
    return torch.from_numpy(images).reshape(n, 1, 8, 8)


def model(c):
    return nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(c * 16, 10))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--channels", type=int, default=16)
    a = p.parse_args()
    torch.manual_seed(0)
    images, target = load()
    x, y = prepare(images), torch.tensor(target)
    idx = torch.randperm(len(y))
    tr, te = idx[:1300], idx[1300:]
    net = model(a.channels)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for ep in range(a.epochs):
        net.train()
        for b in tr[torch.randperm(len(tr))].split(32):
            loss = F.cross_entropy(net(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            o = net(x[te])
        print(f"epoch {ep} loss {loss.item():.3f} test loss {F.cross_entropy(o, y[te]).item():.3f} acc {(o.argmax(1) == y[te]).float().mean().item():.3f}")


main()
