# expect: healthy
# about: node embeddings from random walks, sparse embedding gradients with SparseAdam, five negatives; the loss settles far from zero, link prediction AUC shows the fit
import numpy as np
import torch
from sklearn.metrics import roc_auc_score

torch.set_num_threads(1)
rng = np.random.default_rng(16)
torch.manual_seed(16)
N, K = 400, 8
block = rng.integers(0, K, N)
prob = np.where(block[:, None] == block[None], 0.3, 0.006)
adj = np.triu(rng.random((N, N)) < prob, 1)
edges = np.argwhere(adj)
rng.shuffle(edges)
held, kept = edges[:400], edges[400:]
nbr = [[] for _ in range(N)]
for a, b in kept:
    nbr[a].append(b)
    nbr[b].append(a)


def walk(start, length=10):
    path = [start]
    while len(path) < length and nbr[path[-1]]:
        path.append(nbr[path[-1]][rng.integers(len(nbr[path[-1]]))])
    return path


def corpus():
    pairs = []
    for v in range(N):
        for p in (walk(v), walk(v), walk(v)):
            pairs += [(p[i], p[j]) for i in range(len(p)) for j in range(max(0, i - 3), min(len(p), i + 4)) if i != j]
    return torch.tensor(np.array(pairs))


class SkipGram(torch.nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.u = torch.nn.Embedding(N, dim, sparse=True)
        self.v = torch.nn.Embedding(N, dim, sparse=True)
        torch.nn.init.normal_(self.u.weight, std=0.1)
        torch.nn.init.zeros_(self.v.weight)

    def forward(self, a, b, neg):
        u = self.u(a)
        pos = torch.nn.functional.logsigmoid((u * self.v(b)).sum(1))
        bad = torch.nn.functional.logsigmoid(-(self.v(neg) @ u.unsqueeze(-1)).squeeze(-1)).sum(1)
        return -(pos + bad).mean()


model = SkipGram()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
non = np.argwhere(np.triu(~adj, 1))
non = non[rng.choice(len(non), 400, replace=False)]
probe = np.concatenate([held, non])
answer = np.r_[np.ones(400), np.zeros(400)]
for epoch in range(6):
    run, pairs = [], corpus()
    for b in torch.randperm(len(pairs)).split(256):
        loss = model(pairs[b, 0], pairs[b, 1], torch.randint(0, N, (len(b), 5)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        run.append(loss.item())
    if epoch == 2:
        opt.param_groups[0]["lr"] = 0.003
    with torch.no_grad():
        w = torch.nn.functional.normalize(model.u.weight)
        s = (w[probe[:, 0]] * w[probe[:, 1]]).sum(1).numpy()
    print(f"epoch {epoch} steps {len(run)} loss {np.mean(run):.4f} (6 ln 2 = 4.16) held-out link AUC {roc_auc_score(answer, s):.4f}")
print(f"knowing the blocks: AUC {roc_auc_score(answer, block[probe[:, 0]] == block[probe[:, 1]]):.4f}")
