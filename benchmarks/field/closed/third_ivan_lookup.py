# expect: softmax-wrong-axis
import math
import torch
from torch import nn
from torch.nn import functional as F


class Lookup:
    """Rows of key/value pairs and a question: which value belongs to the asked key?"""

    def __init__(self, n_pairs=6, n_keys=12, n_vals=8):
        self.p, self.k, self.v = n_pairs, n_keys, n_vals

    def sample(self, b):
        keys = torch.stack([torch.randperm(self.k)[:self.p] for _ in range(b)])
        vals = torch.randint(0, self.v, (b, self.p))
        pick = torch.randint(0, self.p, (b,))
        return keys, vals, keys[torch.arange(b), pick], vals[torch.arange(b), pick]


class Reader(nn.Module):
    def __init__(self, task, d=32):
        super().__init__()
        self.ke, self.ve, self.qe = nn.Embedding(task.k, d), nn.Embedding(task.v, d), nn.Embedding(task.k, d)
        self.out = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, task.v))
        self.d = d

    def forward(self, keys, vals, q):
        score = torch.einsum("bpd,bd->bp", self.ke(keys), self.qe(q)) / math.sqrt(self.d)
        w = torch.softmax(score, dim=0)
        return self.out(torch.einsum("bp,bpd->bd", w, self.ve(vals)))


class Loop:
    def __init__(self, steps=1200, batch=64, lr=3e-3):
        self.task = Lookup()
        self.net = Reader(self.task)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.steps, self.batch = steps, batch

    def accuracy(self):
        hits = 0
        with torch.no_grad():
            for k, v, q, y in zip(*(t.split(1) for t in self.valid)):
                hits += (self.net(k, v, q).argmax(1) == y).sum().item()
        return hits / len(self.valid[0])

    def run(self):
        self.valid = self.task.sample(200)
        for i in range(self.steps):
            k, v, q, y = self.task.sample(self.batch)
            loss = F.cross_entropy(self.net(k, v, q), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if i % 150 == 149:
                print(i + 1, "loss", round(loss.item(), 4), "acc", self.accuracy())
        print("final acc", self.accuracy())


torch.manual_seed(0)
Loop().run()
