# expect: broadcast-loss
# about: message passing over little molecule graphs, sum pooling, one property per graph
import torch
import torch.nn as nn

torch.manual_seed(38)
torch.set_num_threads(1)
KINDS = 4
value = torch.tensor([0.5, -1.0, 1.5, 0.2])


def molecule():
    n = int(torch.randint(4, 9, ()))
    kind = torch.randint(0, KINDS, (n,))
    adj = torch.zeros(n, n)
    for i in range(1, n):
        j = int(torch.randint(0, i, ()))
        adj[i, j] = adj[j, i] = 1
    energy = value[kind].sum() + 0.7 * (adj * (kind[:, None] != kind)).sum() / 2
    return kind, adj, energy


def collate(mols):
    sizes = [len(k) for k, _, _ in mols]
    kinds = torch.cat([k for k, _, _ in mols])
    adj = torch.block_diag(*[a for _, a, _ in mols])
    owner = torch.repeat_interleave(torch.arange(len(mols)), torch.tensor(sizes))
    return kinds, adj, owner, torch.stack([e for _, _, e in mols])


class MPNN(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.emb = nn.Embedding(KINDS, d)
        self.msg = nn.ModuleList(nn.Linear(2 * d, d) for _ in range(2))
        self.read = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))

    def forward(self, kinds, adj, owner, graphs):
        h = self.emb(kinds)
        for m in self.msg:
            h = h + torch.relu(m(torch.cat([h, adj @ h], 1)))
        return torch.zeros(graphs, 1).index_add(0, owner, self.read(h))


mols = [molecule() for _ in range(900)]
mu = torch.stack([m[2] for m in mols]).mean()
val = collate(mols[750:])
net = MPNN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(12):
    order, tot = torch.randperm(750), 0.0
    for b in order.split(30):
        k, a, o, e = collate([mols[i] for i in b])
        pred = net(k, a, o, len(b))
        loss = ((pred - (e - mu)) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        mae = (net(*val[:3], 150).squeeze(1) - (val[3] - mu)).abs().mean().item()
    print(f"epoch {epoch + 1:2d} mse {tot / 25:.3f} val MAE {mae:.3f}")
# cure: - pred = net(k, a, o, len(b))
# cure: + pred = net(k, a, o, len(b)).squeeze(1)
