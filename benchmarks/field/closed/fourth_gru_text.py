# expect: clip-too-tight
# also: lr-too-low
import random
import numpy as np
import torch
import torch.nn as nn
import tokenize
import keyword

# task: which module does a line of code come from
import colorsys, csv, statistics


class Config:
    max_len = 32
    emb = 24
    hid = 48
    bs = 32
    epochs = 10
    lr = 0.05
    clip = 1e-3
    seed = 13


def set_seed(s):
    random.seed(s); np.random.seed(s); torch.manual_seed(s)


def read(mod, lab):
    with open(mod.__file__) as f:
        return [(l.strip()[: Config.max_len], lab) for l in f if len(l.strip()) > 18][:420]


def main():
    cfg = Config()
    set_seed(cfg.seed)
    rows = read(statistics, 0) + read(tokenize, 1) + read(csv, 2)
    random.shuffle(rows)
    chars = {c: i + 1 for i, c in enumerate(sorted({c for l, _ in rows for c in l}))}
    X = torch.zeros(len(rows), cfg.max_len, dtype=torch.long)
    for i, (l, _) in enumerate(rows):
        X[i, -len(l):] = torch.tensor([chars[c] for c in l])
    y = torch.tensor([r[1] for r in rows])
    n = int(len(rows) * 0.8)

    class Clf(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(len(chars) + 1, cfg.emb, padding_idx=0)
            self.gru = nn.GRU(cfg.emb, cfg.hid, batch_first=True, bidirectional=True)
            self.out = nn.Linear(2 * cfg.hid, 3)

        def forward(self, x):
            h, _ = self.gru(self.emb(x))
            return self.out(h.max(1).values)

    model = Clf()
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
    for ep in range(cfg.epochs):
        model.train()
        tot = 0
        for k in torch.randperm(n).split(cfg.bs):
            loss = nn.functional.cross_entropy(model(X[k]), y[k])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), cfg.clip)
            opt.step()
            tot += loss.item() * len(k)
        model.eval()
        with torch.no_grad():
            acc = (model(X[n:]).argmax(1) == y[n:]).float().mean().item()
        print(f"Epoch {ep}: train {tot / n:.4f} | acc {acc:.4f}")


main()
