# expect: healthy
import torch, torch.nn as nn
import numpy as np

rng = np.random.default_rng(3); torch.manual_seed(3)
U, I, K = 400, 300, 5
P, Q = rng.normal(size=(U, K)), rng.normal(size=(I, K))
bu, bi = .4 * rng.normal(size=U), .4 * rng.normal(size=I)
n = 30000
u, i = rng.integers(0, U, n), rng.integers(0, I, n)
r = 3 + bu[u] + bi[i] + .5 * (P[u] * Q[i]).sum(1) + .3 * rng.normal(size=n)
u, i, r = torch.tensor(u), torch.tensor(i), torch.tensor(r).float()
tr, te = slice(0, 25000), slice(25000, None)
mean = r[tr].mean()


class Factor(nn.Module):
    def __init__(self, k=10):
        super().__init__()
        self.u, self.i = nn.Embedding(U, k, sparse=True), nn.Embedding(I, k, sparse=True)
        self.ub, self.ib = nn.Embedding(U, 1, sparse=True), nn.Embedding(I, 1, sparse=True)
        self.mlp = nn.Sequential(nn.Linear(2 * k, 16), nn.ReLU(), nn.Linear(16, 1))
        for e in (self.u, self.i): nn.init.normal_(e.weight, 0, .1)
        for e in (self.ub, self.ib): nn.init.zeros_(e.weight)

    def forward(self, u, i):
        a, b = self.u(u), self.i(i)
        return mean + (a * b).sum(1) + self.ub(u)[:, 0] + self.ib(i)[:, 0] + .1 * self.mlp(torch.cat([a, b], 1))[:, 0]


net = Factor()
emb = [p for n_, p in net.named_parameters() if "mlp" not in n_]
opts = [torch.optim.SparseAdam(emb, lr=4e-3), torch.optim.AdamW(net.mlp.parameters(), lr=1e-3)]
best = 9
for ep in range(18):
    tot = 0
    for b in torch.randperm(25000).split(256):
        loss = nn.functional.mse_loss(net(u[b], i[b]), r[b])
        for o in opts: o.zero_grad()
        loss.backward()
        for o in opts: o.step()
        tot += loss.item() * len(b)
    with torch.no_grad():
        rm = nn.functional.mse_loss(net(u[te], i[te]), r[te]).sqrt().item()
    print(ep, "train rmse", (tot / 25000) ** .5, "test rmse", rm)
print("mean predictor", r[te].std().item(), "noise", .3)
