# expect: healthy
# about: TransE knowledge-graph embeddings, margin loss with corrupted triples, embeddings renormalised each epoch; loss falls to nearly zero active triples
import itertools
import random

import torch
import torch.nn as nn

torch.set_num_threads(1)
random.seed(1)
torch.manual_seed(1)
SIDE = 7
ents = list(itertools.product(range(SIDE), range(SIDE)))
index = {e: i for i, e in enumerate(ents)}
moves = [(0, 1), (1, 0), (1, 1), (2, -1), (0, 3)]
facts = [(index[e], r, index[(e[0] + m[0], e[1] + m[1])]) for e in ents for r, m in enumerate(moves) if (e[0] + m[0], e[1] + m[1]) in index]
random.shuffle(facts)
cut = int(0.85 * len(facts))
train, test = torch.tensor(facts[:cut]), torch.tensor(facts[cut:])


class TransE(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.e = nn.Embedding(len(ents), dim)
        self.r = nn.Embedding(len(moves), dim)
        nn.init.uniform_(self.e.weight, -0.5, 0.5)
        nn.init.uniform_(self.r.weight, -0.5, 0.5)

    def distance(self, h, r, t):
        return (self.e(h) + self.r(r) - self.e(t)).norm(p=2, dim=-1)


model = TransE()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
ranking = nn.MarginRankingLoss(margin=0.5)
for epoch in range(120):
    losses = []
    for b in torch.randperm(len(train)).split(40):
        h, r, t = train[b].T
        noise = torch.randint(0, len(ents), (len(b),))
        swap = torch.rand(len(b)) < 0.5
        nh, nt = torch.where(swap, noise, h), torch.where(swap, t, noise)
        loss = ranking(model.distance(nh, r, nt), model.distance(h, r, t), torch.ones(len(b)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch == 80:
        opt.param_groups[0]["lr"] = 0.004
    if epoch % 15 == 14:
        with torch.no_grad():
            h, r, t = test.T
            q = model.e(h) + model.r(r)
            rank = (torch.cdist(q, model.e.weight) <= (q - model.e(t)).norm(dim=1, keepdim=True) + 1e-6).sum(1).float()
        print(f"epoch {epoch + 1} loss {sum(losses) / len(losses):.4f} mean rank {rank.mean():.2f} hits@3 {(rank <= 3).float().mean():.3f}")
