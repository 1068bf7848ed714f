# expect: healthy
# about: graph classification (does the molecule-like graph hold a bond between the two reactive kinds), GIN layers with block-diagonal batches and sum readout
import random

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)
torch.manual_seed(8)
random.seed(8)


def ring(start, k):
    return [(start + i, start + (i + 1) % k) for i in range(k)]


def molecule():
    k = random.choice([5, 6])
    edges, n = ring(0, k), k
    for _ in range(random.randint(3, 8)):
        edges.append((random.randrange(n), n))
        n += 1
    kind = torch.tensor(random.choices([0, 1, 2], [0.66, 0.17, 0.17], k=n))
    e = torch.tensor(edges + [(b, a) for a, b in edges]).T
    label = ((kind[e[0]] == 1) & (kind[e[1]] == 2)).any()
    deg = torch.bincount(e[0], minlength=n).clamp(max=5)
    return nn.functional.one_hot(kind, 3).float(), nn.functional.one_hot(deg, 6).float(), e, float(label)


def collate(graphs):
    xs, es, batch, ys, offset = [], [], [], [], 0
    for g, (kind, deg, e, y) in enumerate(graphs):
        xs.append(torch.cat([kind, deg], 1))
        es.append(e + offset)
        batch.append(torch.full((len(kind),), g))
        ys.append(y)
        offset += len(kind)
    return torch.cat(xs), torch.cat(es, 1), torch.cat(batch), torch.tensor(ys)


class GINConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(cin, cout), nn.BatchNorm1d(cout), nn.ReLU(), nn.Linear(cout, cout), nn.ReLU())

    def forward(self, x, e):
        agg = torch.zeros_like(x).index_add_(0, e[1], x[e[0]])
        return self.mlp((1 + self.eps) * x + agg)


class GIN(nn.Module):
    def __init__(self, hidden=32, layers=2):
        super().__init__()
        self.convs = nn.ModuleList([GINConv(9 if i == 0 else hidden, hidden) for i in range(layers)])
        self.head = nn.Sequential(nn.Linear(hidden * layers, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x, e, batch):
        pooled = []
        for conv in self.convs:
            x = conv(x, e)
            pooled.append(torch.zeros(int(batch.max()) + 1, x.shape[1]).index_add_(0, batch, x) / 10)
        return self.head(torch.cat(pooled, 1)).squeeze(1)


train = DataLoader([molecule() for _ in range(1800)], batch_size=64, shuffle=True, collate_fn=collate)
valid = DataLoader([molecule() for _ in range(500)], batch_size=250, collate_fn=collate)
model, loss_fn = GIN(), nn.BCEWithLogitsLoss()
EPOCHS = 12
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, total_steps=EPOCHS * len(train))
for epoch in range(1, EPOCHS + 1):
    model.train()
    tl = 0.0
    for x, e, b, y in train:
        loss = loss_fn(model(x, e, b), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tl += loss.item() / len(train)
    model.eval()
    vl = hits = 0.0
    with torch.no_grad():
        for x, e, b, y in valid:
            o = model(x, e, b)
            vl += loss_fn(o, y).item() / len(valid)
            hits += ((o > 0) == (y > 0.5)).sum().item()
    print(f"epoch {epoch:2d}  train {tl:.4f}  valid {vl:.4f}  acc {hits / 500:.4f}")
