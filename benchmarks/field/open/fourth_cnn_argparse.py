# expect: healthy
import argparse
import logging
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

log = logging.getLogger("train")


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--width", type=int, default=16)
    p.add_argument("--wd", type=float, default=5e-4)
    p.add_argument("--seed", type=int, default=42)
    return p.parse_args()


class ConvBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.features = nn.Sequential(
            ConvBlock(1, w), ConvBlock(w, 2 * w, 2), ConvBlock(2 * w, 4 * w, 2)
        )
        self.fc = nn.Linear(4 * w, 10)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct = total = 0
    for x, y in loader:
        correct += (model(x).argmax(-1) == y).sum().item()
        total += y.numel()
    return correct / total


def main():
    args = get_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    d = load_digits()
    x = torch.from_numpy(d.images).float().unsqueeze(1)
    x = (x - 4.88) / 6.02
    ds = TensorDataset(x, torch.from_numpy(d.target).long())
    tr, va = random_split(ds, [1437, 360])
    tl = DataLoader(tr, args.batch_size, shuffle=True)
    vl = DataLoader(va, 256)

    model = Net(args.width)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=args.wd, nesterov=True)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=6, gamma=0.2)
    for ep in range(args.epochs):
        model.train()
        tot = 0.0
        for xb, yb in tl:
            loss = F.cross_entropy(model(xb), yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            tot += loss.item()
        sched.step()
        log.info("ep %d | train %.4f | val acc %.4f | lr %.4g", ep, tot / len(tl), evaluate(model, vl), sched.get_last_lr()[0])
    print(f"final {evaluate(model, vl):.4f}")


if __name__ == "__main__":
    main()
