# expect: healthy
# about: two-tower retrieval with in-batch negatives; accidental duplicates in the batch keep the loss near 2.6
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(88)
U, I, C = 400, 300, 12
u_c, i_c = torch.randint(0, C, (U,)), torch.randint(0, C, (I,))
members = [torch.where(i_c == c)[0] for c in range(C)]


def interactions(n):
    u = torch.randint(0, U, (n,))
    i = torch.stack([members[c][torch.randint(0, len(members[c]), ())] for c in u_c[u].tolist()])
    return u, i


tu, ti = interactions(9000)
vu, vi = interactions(1000)


class Tower(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.e = nn.Embedding(n, 32)
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, ids):
        return F.normalize(self.mlp(self.e(ids)), dim=-1)


users, items = Tower(U), Tower(I)
opt = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=3e-3)
for epoch in range(6):
    total = 0
    for b in torch.randperm(9000)[:8960].view(-1, 128):
        sim = users(tu[b]) @ items(ti[b]).T / 0.1
        loss = F.cross_entropy(sim, torch.arange(128))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        top = (users(vu) @ items(torch.arange(I)).T).topk(10, dim=1).indices
        prec = (i_c[top] == u_c[vu][:, None]).float().mean()
    print(f"epoch {epoch} in-batch softmax {total / 70:.4f} precision@10 (same taste) {prec:.4f}")
