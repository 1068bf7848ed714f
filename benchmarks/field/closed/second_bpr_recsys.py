# expect: healthy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.default_rng(5)
torch.manual_seed(5)
n_users, n_items, k = 250, 180, 5
true = rng.normal(size=(n_users, k)) @ rng.normal(size=(k, n_items)) + rng.normal(0, 0.8, n_items)
prob = np.exp(1.2 * true)
prob /= prob.sum(1, keepdims=True)
inter = np.zeros((n_users, n_items), bool)
for u in range(n_users):
    inter[u, rng.choice(n_items, 24, replace=False, p=prob[u])] = True
train = inter.copy()
test_item = np.zeros(n_users, int)
for u in range(n_users):
    test_item[u] = rng.choice(np.flatnonzero(inter[u]))
    train[u, test_item[u]] = False
pos_u, pos_i = map(torch.tensor, np.nonzero(train))
seen = torch.tensor(train)


class BPR(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.U = nn.Embedding(n_users, d)
        self.I = nn.Embedding(n_items, d)
        self.b = nn.Embedding(n_items, 1)
        for e in (self.U, self.I):
            nn.init.normal_(e.weight, std=0.1)
        nn.init.zeros_(self.b.weight)

    def score(self, u, i):
        return (self.U(u) * self.I(i)).sum(-1) + self.b(i).squeeze(-1)

    def all(self):
        return self.U.weight @ self.I.weight.T + self.b.weight.T


def auc(scores):
    s = scores.clone()
    pos = s[torch.arange(n_users), torch.tensor(test_item)][:, None]
    cand = ~torch.tensor(inter)
    return (((s < pos) & cand).sum(1) / cand.sum(1)).mean().item()


m = BPR()
opt = torch.optim.Adagrad(m.parameters(), lr=0.05)
for ep in range(70):
    perm = torch.randperm(len(pos_u))
    tot = 0.0
    for b in perm.split(512):
        u, i = pos_u[b], pos_i[b]
        j = torch.randint(0, n_items, (len(b),))
        reg = 5e-3 * (m.U(u).pow(2).sum() + m.I(i).pow(2).sum() + m.I(j).pow(2).sum())
        loss = -(F.logsigmoid(m.score(u, i) - m.score(u, j)) * (~seen[u, j])).sum() + reg
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    if ep % 5 == 4:
        with torch.no_grad():
            print(f"epoch {ep+1} loss {tot:.1f} test AUC {auc(m.all()):.3f}")
pop = torch.tensor(train.sum(0)).float().expand(n_users, -1)
print(f"popularity AUC {auc(pop):.3f}  oracle AUC {auc(torch.tensor(true).float()):.3f}")
