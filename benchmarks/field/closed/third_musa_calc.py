# expect: padding-in-loss
import argparse
import logging
import random
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("calc")
VOC = {c: i + 1 for i, c in enumerate("0123456789+-()")}


def make(n, rng):
    rows = []
    for _ in range(n):
        k = rng.choice([1, 1, 1, 2, 2, 3, 16])
        s = str(rng.randint(0, 9))
        for _ in range(k):
            s += rng.choice("+-") + str(rng.randint(0, 9))
        rows.append((s, sum((1 if c == "+" else -1) for c in s if c in "+-") + (int(s[-1]) >= 5)))
    return rows


def collate(rows):
    x = pad_sequence([torch.tensor([VOC[c] for c in s]) for s, _ in rows], batch_first=True)
    return x, torch.tensor([len(s) for s, _ in rows]), torch.tensor([max(-4, min(4, t)) + 4 for _, t in rows])


class Reader(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.emb = nn.Embedding(len(VOC) + 1, 24)
        self.rnn = nn.RNN(24, h, batch_first=True)
        self.out = nn.Linear(h, 9)

    def forward(self, x, lens):
        h, _ = self.rnn(self.emb(x))
        return self.out(h[:, -1])


def main(a):
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    train, valid = make(3000, rng), make(600, rng)
    net = Reader()
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    xv, lv, yv = collate(valid)
    for ep in range(a.epochs):
        rng.shuffle(train)
        tot = 0
        for i in range(0, len(train), a.batch):
            x, l, y = collate(train[i:i + a.batch])
            loss = F.cross_entropy(net(x, l), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            tot += loss.item()
        with torch.no_grad():
            acc = (net(xv, lv).argmax(1) == yv).float().mean().item()
        log.info("epoch %d loss %.4f valid acc %.4f (majority %.3f)", ep, tot * a.batch / len(train), acc, yv.bincount().max().item() / len(yv))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
