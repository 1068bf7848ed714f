# expect: healthy
# about: one click model, two optimizers: SparseAdam for the embedding tables, AdamW for the dense tower
import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
USERS, ITEMS, N = 60, 40, 12000
gen = torch.Generator().manual_seed(1)
pu, qi = torch.randn(USERS, 4, generator=gen), torch.randn(ITEMS, 4, generator=gen)
u, i = torch.randint(0, USERS, (N,), generator=gen), torch.randint(0, ITEMS, (N,), generator=gen)
ctx = torch.randn(N, 3, generator=gen)
true_logit = 1.3 * (pu[u] * qi[i]).sum(1) + ctx[:, 0] - 0.5 * ctx[:, 1]
click = (torch.rand(N, generator=gen) < true_logit.sigmoid()).float()


class Ranker(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.user = nn.Embedding(USERS, d, sparse=True)
        self.item = nn.Embedding(ITEMS, d, sparse=True)
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.item.weight, std=0.3)
        self.tower = nn.Sequential(nn.Linear(d + 3, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def tables(self):
        return [self.user.weight, self.item.weight]

    def forward(self, u, i, c):
        a, b = self.user(u), self.item(i)
        return self.tower(torch.cat([a * b, c], 1)).squeeze(1) + (a * b).sum(1)


def auc(score, label):
    rank = score.argsort().argsort().double() + 1
    pos = label.sum().item()
    return ((rank[label == 1].sum() - pos * (pos + 1) / 2) / (pos * (len(label) - pos))).item()


net = Ranker()
opt_sparse = torch.optim.SparseAdam(net.tables(), lr=0.01)
opt_dense = torch.optim.AdamW(net.tower.parameters(), lr=2e-3, weight_decay=0.01)
bce = nn.BCEWithLogitsLoss()
cut = 10000
for epoch in range(12):
    net.train()
    seen = 0.0
    for b in torch.randperm(cut, generator=gen).split(100):
        for o in (opt_sparse, opt_dense):
            o.zero_grad()
        loss = bce(net(u[b], i[b], ctx[b]), click[b])
        loss.backward()
        for o in (opt_sparse, opt_dense):
            o.step()
        seen += loss.item() / 100
    net.eval()
    with torch.no_grad():
        s = net(u[cut:], i[cut:], ctx[cut:])
    print(f"epoch {epoch} logloss {seen:.4f} val {bce(s, click[cut:]).item():.4f} AUC {auc(s, click[cut:]):.3f} (oracle {auc(true_logit[cut:], click[cut:]):.3f}, {bce(true_logit[cut:], click[cut:]).item():.4f})")
