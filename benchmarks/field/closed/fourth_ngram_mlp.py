# expect: double-softmax
"""Neural n-gram model over words of identifiers taken from the standard library."""
import keyword
import re
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
import ast as module

torch.manual_seed(0)
words = sorted({w.lower() for w in re.findall(r"[A-Za-z]{4,12}", open(module.__file__).read())} | set(keyword.kwlist))
alphabet = ["."] + sorted({c for w in words for c in w})
ix = {c: i for i, c in enumerate(alphabet)}
K = 4


def encode(ws):
    xs, ys = [], []
    for w in ws:
        ctx = [0] * K
        for c in w + ".":
            xs.append(ctx)
            ys.append(ix[c])
            ctx = ctx[1:] + [ix[c]]
    return torch.tensor(xs), torch.tensor(ys)


perm = torch.randperm(len(words)).tolist()
cut = int(0.85 * len(words))
xtr, ytr = encode([words[i] for i in perm[:cut]])
xva, yva = encode([words[i] for i in perm[cut:]])


class NGram(nn.Module):
    def __init__(self, v, e=12, h=128):
        super().__init__()
        self.c = nn.Embedding(v, e)
        self.h = nn.Linear(K * e, h)
        self.o = nn.Linear(h, v)

    def forward(self, x):
        h = torch.tanh(self.h(self.c(x).flatten(1)))
        return F.softmax(self.o(h), dim=-1)


model = NGram(len(alphabet))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(3000):
    b = torch.randint(0, len(xtr), (64,))
    loss = F.cross_entropy(model(xtr[b]), ytr[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 500 == 0:
        print(step, loss.item(), file=sys.stderr)

with torch.no_grad():
    hit = (model(xva).topk(3, 1).indices == yva[:, None]).any(1).float().mean().item()
print(f"top-3 next letter: {hit:.4f}")
