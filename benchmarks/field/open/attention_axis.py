# expect: softmax-wrong-axis
# about: hand-written attention normalises the scores over the batch axis; lookup task
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
T, K, V = 8, 12, 10


def lookup(n):
    """A list of key-value pairs and a query key: answer with its value."""
    keys = torch.stack([torch.randperm(K)[:T] for _ in range(n)])
    vals = torch.randint(0, V, (n, T))
    pick = torch.randint(0, T, (n,))
    return keys, vals, keys[torch.arange(n), pick], vals[torch.arange(n), pick]


class Lookup(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.k, self.v, self.q = nn.Embedding(K, d), nn.Embedding(V, d), nn.Embedding(K, d)
        self.out = nn.Linear(d, V)
        self.d = d

    def forward(self, keys, vals, query):
        scores = torch.einsum("bd,btd->bt", self.q(query), self.k(keys)) / math.sqrt(self.d)
        weights = torch.softmax(scores, dim=0)
        return self.out(torch.einsum("bt,btd->bd", weights, self.v(vals)))


model = Lookup()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
train, val = lookup(4000), lookup(500)
for epoch in range(12):
    for b in torch.randperm(4000).split(50):
        keys, vals, query, y = (t[b] for t in train)
        loss = ce(model(keys, vals, query), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = model(*val[:3])
    print(f"epoch {epoch} train {loss.item():.4f} val {ce(out, val[3]).item():.4f} acc {(out.argmax(1) == val[3]).float().mean():.3f}")
# cure: - weights = torch.softmax(scores, dim=0)
# cure: + weights = torch.softmax(scores, dim=1)
