# expect: healthy
# about: SASRec: causal self-attention over listening sessions, one sampled negative per position with BCE, NDCG@10 on the next track
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(29)
torch.set_num_threads(1)
rng = np.random.default_rng(29)
TRACKS, LEN, USERS = 120, 20, 1200
genre = np.arange(TRACKS) // 12
follow = np.stack([rng.permutation(np.flatnonzero(genre == g))[:4] for g in genre])

seqs = np.zeros((USERS, LEN + 1), dtype=np.int64)
for u in range(USERS):
    t = rng.integers(TRACKS)
    for k in range(LEN + 1):
        seqs[u, k] = t + 1
        r = rng.random()
        t = rng.choice(follow[t]) if r < 0.75 else (rng.choice(np.flatnonzero(genre == genre[t])) if r < 0.9 else rng.integers(TRACKS))
seqs = torch.tensor(seqs)
train, test = seqs[:1000], seqs[1000:]


class SASRec(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.items, self.pos = nn.Embedding(TRACKS + 1, d, padding_idx=0), nn.Embedding(LEN, d)
        nn.init.normal_(self.items.weight, std=0.1)
        nn.init.normal_(self.pos.weight, std=0.1)
        self.drop = nn.Dropout(0.1)
        self.att = nn.MultiheadAttention(d, 2, dropout=0.1, batch_first=True)
        self.n1, self.n2, self.n3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, d))
        self.register_buffer("mask", torch.triu(torch.ones(LEN, LEN, dtype=torch.bool), 1))

    def forward(self, s):
        h = self.drop(self.items(s) * 32**0.5 * 0.3 + self.pos.weight)
        q = self.n1(h)
        h = h + self.att(q, q, q, attn_mask=self.mask, need_weights=False)[0]
        return self.n3(h + self.ff(self.n2(h)))


model = SASRec()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98))
EPOCHS = 22
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
for epoch in range(1, EPOCHS + 1):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(train)).split(64):
        s, pos = train[idx, :-1], train[idx, 1:]
        neg = torch.randint(1, TRACKS + 1, pos.shape)
        h = model(s)
        lp, ln = (h * model.items(pos)).sum(-1), (h * model.items(neg)).sum(-1)
        ok = (neg != pos).float()
        loss = F.softplus(-lp).mean() + (F.softplus(ln) * ok).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx) / len(train)
    sched.step()
    if epoch % 3 == 1:
        model.eval()
        with torch.no_grad():
            score = model(test[:, :-1])[:, -1] @ model.items.weight[1:].T
        rank = (score > score.gather(1, test[:, -1:] - 1)).sum(1)
        ndcg = torch.where(rank < 10, 1 / torch.log2(rank + 2.0), torch.zeros(len(rank))).mean()
        print(f"epoch {epoch:2d} loss {total:.4f} NDCG@10 {ndcg.item():.4f} HR@10 {(rank < 10).float().mean():.4f}")
