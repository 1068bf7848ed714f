# expect: healthy
# about: NeuMF on implicit feedback: GMF and MLP towers, four sampled negatives per click, leave-one-out hit rate at 10
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(13)
torch.set_num_threads(1)
rng = np.random.default_rng(13)
USERS, ITEMS, K = 500, 200, 4

taste, style = rng.normal(0, 1, (USERS, K)), rng.normal(0, 1, (ITEMS, K))
popularity = rng.normal(0, 0.7, ITEMS)
score = 1.6 * taste @ style.T / np.sqrt(K) + popularity + rng.gumbel(0, 0.5, (USERS, ITEMS))
clicked = np.argsort(-score, 1)[:, :25]
for row in clicked:
    rng.shuffle(row)
held_out, seen = clicked[:, 0], clicked[:, 1:]
seen_sets = [set(r) for r in seen]
pos_u, pos_i = np.repeat(np.arange(USERS), seen.shape[1]), seen.ravel()


def with_negatives(ratio=4):
    u = np.repeat(pos_u, ratio)
    i = rng.integers(0, ITEMS, len(u))
    keep = np.array([b not in seen_sets[a] for a, b in zip(u, i)])
    users, items = np.concatenate([pos_u, u[keep]]), np.concatenate([pos_i, i[keep]])
    labels = np.concatenate([np.ones(len(pos_u)), np.zeros(keep.sum())])
    return torch.tensor(users), torch.tensor(items), torch.tensor(labels, dtype=torch.float32)


class NeuMF(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.gu, self.gi = nn.Embedding(USERS, d), nn.Embedding(ITEMS, d)
        self.mu, self.mi = nn.Embedding(USERS, d), nn.Embedding(ITEMS, d)
        for e in (self.gu, self.gi, self.mu, self.mi):
            nn.init.normal_(e.weight, std=0.05)
        self.mlp = nn.Sequential(nn.Linear(2 * d, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.out = nn.Linear(16 + d, 1)
        self.bias = nn.Embedding(ITEMS, 1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, u, i):
        g = self.gu(u) * self.gi(i)
        m = self.mlp(torch.cat([self.mu(u), self.mi(i)], -1))
        return (self.out(torch.cat([g, m], -1)) + self.bias(i)).squeeze(-1)


model = NeuMF()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.05)
EPOCHS = 10
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=EPOCHS)
bce = nn.BCEWithLogitsLoss()


@torch.no_grad()
def hit_rate(k=10):
    model.eval()
    u, i = torch.arange(USERS)[:, None].expand(-1, ITEMS), torch.arange(ITEMS)[None].expand(USERS, -1)
    s = model(u, i)
    for a in range(USERS):
        s[a, list(seen_sets[a])] = -1e9
    top = s.topk(k, 1).indices
    return (top == torch.tensor(held_out)[:, None]).any(1).float().mean().item()


print(f"untrained HR@10 {hit_rate():.3f}")
for epoch in range(EPOCHS):
    model.train()
    u, i, r = with_negatives()
    total = 0.0
    for b in torch.randperm(len(u)).split(512):
        opt.zero_grad()
        loss = bce(model(u[b], i[b]), r[b])
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    sched.step()
    print(f"epoch {epoch + 1:2d} bce {total / len(u):.4f} HR@10 {hit_rate():.3f}")
most_popular = np.bincount(pos_i, minlength=ITEMS)
hits = 0
for a in range(USERS):
    pop = most_popular.astype(float).copy()
    pop[list(seen_sets[a])] = -1
    hits += held_out[a] in np.argsort(-pop)[:10]
print(f"most popular HR@10 {hits / USERS:.3f}")
