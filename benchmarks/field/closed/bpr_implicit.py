# expect: healthy
# about: BPR matrix factorisation on implicit feedback, Adagrad, hit rate on the left-out item
import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(5)
rs = np.random.RandomState(5)
N_USERS, N_ITEMS, TRUE_DIM = 300, 200, 4
pu, qi = rs.randn(N_USERS, TRUE_DIM), rs.randn(N_ITEMS, TRUE_DIM)
affinity = pu @ qi.T + 0.3 * rs.gumbel(size=(N_USERS, N_ITEMS))
liked = np.argsort(-affinity, axis=1)[:, :31]
for row in liked:
    rs.shuffle(row)
test_item, train_items = liked[:, 0], liked[:, 1:]
user_pos = np.array([(u, i) for u in range(N_USERS) for i in train_items[u]])
seen = np.zeros((N_USERS, N_ITEMS), bool)
for u in range(N_USERS):
    seen[u, train_items[u]] = True


class BPR(torch.nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.user = torch.nn.Embedding(N_USERS, d)
        self.item = torch.nn.Embedding(N_ITEMS, d)
        self.bias = torch.nn.Embedding(N_ITEMS, 1)
        for e in (self.user, self.item):
            torch.nn.init.normal_(e.weight, std=0.1)
        torch.nn.init.zeros_(self.bias.weight)

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)


def hit_rate(model, k=10):
    with torch.no_grad():
        s = model.user.weight @ model.item.weight.T + model.bias.weight.T
        s[torch.from_numpy(seen)] = -1e9
        top = s.topk(k, dim=1).indices
    return (top == torch.from_numpy(test_item)[:, None]).any(1).float().mean().item()


model = BPR()
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for epoch in range(25):
    order = rs.permutation(len(user_pos))
    losses = []
    for chunk in np.array_split(order, 36):
        u, i = torch.from_numpy(user_pos[chunk]).T
        j = torch.randint(0, N_ITEMS, (len(u),))
        ok = ~torch.from_numpy(seen)[u, j]
        u, i, j = u[ok], i[ok], j[ok]
        reg = model.user(u).pow(2).sum() + model.item(i).pow(2).sum() + model.item(j).pow(2).sum()
        loss = -F.logsigmoid(model.score(u, i) - model.score(u, j)).mean() + 0.01 * reg / len(u)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} bpr {np.mean(losses):.4f} HR@10 {hit_rate(model):.3f} (random {10 / 170:.3f})")
