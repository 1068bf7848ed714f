# expect: detached-graph
# about: joint embedding: the item tower's vectors take a numpy round trip, so only the user tower learns
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
torch.set_num_threads(1)
n_users, n_items = 120, 100
gu, gi = torch.randn(n_users, 6), torch.randn(n_items, 6)


class Tower(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 6)
        nn.init.normal_(self.emb.weight, std=0.01)

    def forward(self, i):
        return self.emb(i)


users, items = Tower(n_users), Tower(n_items)
optimizer = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=0.02)
bce = nn.BCEWithLogitsLoss()


def item_vectors(i):
    v = items(i)
    return torch.from_numpy(v.detach().numpy())


def clicks(n):
    u, i = torch.randint(0, n_users, (n,)), torch.randint(0, n_items, (n,))
    return u, i, ((gu[u] * gi[i]).sum(1) > 0).float()


val = clicks(2000)
for step in range(1000):
    u, i, c = clicks(128)
    loss = bce((users(u) * item_vectors(i)).sum(1), c)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        with torch.no_grad():
            s = (users(val[0]) * item_vectors(val[1])).sum(1)
        print(f"step {step + 1} loss {loss.item():.4f} val {bce(s, val[2]).item():.4f} acc {((s > 0) == val[2].bool()).float().mean():.3f}")
# cure: - return torch.from_numpy(v.detach().numpy())
# cure: + return v
