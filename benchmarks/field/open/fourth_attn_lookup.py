# expect: softmax-wrong-axis
import math
from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class Cfg:
    keys: int = 12
    vals: int = 12
    pairs: int = 6
    dim: int = 48
    depth: int = 2
    steps: int = 900
    batch: int = 64
    lr: float = 2e-3
    seed: int = 0


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(c.dim, c.dim) for _ in range(4))

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        att = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(x.size(-1))
        att = torch.softmax(att, dim=0)
        return self.o(torch.bmm(att, v))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.att = Attention(c)
        self.mlp = nn.Sequential(nn.Linear(c.dim, 2 * c.dim), nn.GELU(), nn.Linear(2 * c.dim, c.dim))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


class Lookup(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ke = nn.Embedding(c.keys, c.dim)
        self.ve = nn.Embedding(c.vals + 1, c.dim)
        self.layers = nn.Sequential(*[Layer(c) for _ in range(c.depth)])
        self.out = nn.Linear(c.dim, c.vals)

    def forward(self, k, v):
        return self.out(self.layers(self.ke(k) + self.ve(v))[:, -1])


def sample(c, n):
    k = torch.rand(n, c.keys).argsort(1)[:, : c.pairs]
    v = torch.randint(0, c.vals, (n, c.pairs))
    j = torch.randint(0, c.pairs, (n, 1))
    k = torch.cat([k, k.gather(1, j)], 1)
    return k, torch.cat([v, torch.full((n, 1), c.vals)], 1), v.gather(1, j).squeeze(1)


def run(c):
    torch.manual_seed(c.seed)
    net = Lookup(c)
    opt = torch.optim.AdamW(net.parameters(), lr=c.lr)
    for s in range(1, c.steps + 1):
        k, v, y = sample(c, c.batch)
        loss = nn.functional.cross_entropy(net(k, v), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 150 == 0:
            with torch.no_grad():
                k, v, y = sample(c, 1000)
                acc = (net(k, v).argmax(-1) == y).float().mean().item()
            print(f"{s:>6} | loss {loss.item():.4f} | acc {acc:.4f}")


run(Cfg())
