# expect: healthy
# about: next-item recommendation from click sessions, GRU with tied item embeddings, session-parallel mini-batches, Adagrad
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(4)
torch.manual_seed(4)
ITEMS, CATS = 200, 10
cat = np.arange(ITEMS) % CATS
follow = [rng.choice(np.flatnonzero(cat == cat[i]), 3, replace=False) for i in range(ITEMS)]
pop = 1 / (1 + rng.permutation(ITEMS)) ** 0.7
pop /= pop.sum()


def session():
    s = [rng.choice(ITEMS, p=pop)]
    while len(s) < rng.integers(5, 18):
        r = rng.random()
        s.append(rng.choice(follow[s[-1]]) if r < 0.7 else (rng.choice(np.flatnonzero(cat == cat[s[0]])) if r < 0.85 else rng.choice(ITEMS, p=pop)))
    return s


train = [session() for _ in range(6000)]
test = [session() for _ in range(300)]


class GRU4Rec(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.items = nn.Embedding(ITEMS, dim)
        nn.init.normal_(self.items.weight, std=0.1)
        self.cell = nn.GRUCell(dim, dim)
        self.bias = nn.Parameter(torch.zeros(ITEMS))

    def forward(self, item, h):
        h = self.cell(self.items(item), h)
        return h @ self.items.weight.T + self.bias, h


def parallel(sessions, size, order):
    """Yields (current items, next items, which lanes have just begun a session)."""
    queue = iter(order)
    lanes = [[sessions[next(queue)], 0] for _ in range(size)]
    fresh = torch.ones(size, dtype=torch.bool)
    while True:
        yield torch.tensor([s[p] for s, p in lanes]), torch.tensor([s[p + 1] for s, p in lanes]), fresh
        fresh = torch.zeros(size, dtype=torch.bool)
        for k, lane in enumerate(lanes):
            lane[1] += 1
            if lane[1] + 1 >= len(lane[0]):
                nxt = next(queue, None)
                if nxt is None:
                    return
                lanes[k], fresh[k] = [sessions[nxt], 0], True


model = GRU4Rec()
opt = torch.optim.Adagrad(model.parameters(), lr=0.08)


def recall(k=10):
    hit = n = nll = 0
    with torch.no_grad():
        h = torch.zeros(30, 64)
        for x, y, fresh in parallel(test, 30, range(300)):
            h = torch.where(fresh[:, None], torch.zeros_like(h), h)
            scores, h = model(x, h)
            hit += (scores.topk(k).indices == y[:, None]).any(1).sum().item()
            nll += nn.functional.cross_entropy(scores, y, reduction="sum").item()
            n += len(y)
    return hit / n, nll / n


for epoch in range(3):
    h, losses = torch.zeros(64, 64), []
    for x, y, fresh in parallel(train, 64, rng.permutation(len(train))):
        h = torch.where(fresh[:, None], torch.zeros_like(h), h.detach())
        scores, h = model(x, h)
        loss = nn.functional.cross_entropy(scores, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch} steps {len(losses)} loss {np.mean(losses):.4f} recall@10 %.4f test loss %.4f" % recall())
popular = torch.tensor(pop).topk(10).indices.tolist()
print("most popular ten:", round(np.mean([b in popular for s in test for b in s[1:]]), 4))
counts = np.ones((ITEMS, ITEMS)) * 0.01
for s in train:
    for a, b in zip(s, s[1:]):
        counts[a, b] += 1
top = np.argsort(-counts, 1)[:, :10]
print("item-to-item counts:", round(np.mean([b in top[a] for s in test for a, b in zip(s, s[1:])]), 4))
