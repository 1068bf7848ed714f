# expect: healthy
# about: ListNet ranking with per-query softmax over documents; loss floor is the entropy of the target distribution
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

torch.set_num_threads(1)


class Queries(Dataset):
    def __init__(self, n, seed):
        r = np.random.default_rng(seed)
        self.docs = r.normal(size=(n, 12, 10)).astype("float32")
        util = self.docs[..., 0] + np.maximum(self.docs[..., 1], self.docs[..., 2]) - 0.5 * self.docs[..., 3] ** 2
        self.rel = np.clip(np.digitize(util + 0.2 * r.normal(size=util.shape), [-0.5, 0.4, 1.2, 2.0]), 0, 4).astype("float32")

    def __len__(self):
        return len(self.docs)

    def __getitem__(self, i):
        return self.docs[i], self.rel[i]


def ndcg(scores, rel, k=5):
    order = scores.argsort(1, descending=True)[:, :k]
    ideal = rel.sort(1, descending=True).values[:, :k]
    disc = 1 / torch.log2(torch.arange(2, k + 2).float())
    dcg = ((2 ** rel.gather(1, order) - 1) * disc).sum(1)
    idcg = ((2 ** ideal - 1) * disc).sum(1).clamp_min(1e-6)
    return (dcg / idcg).mean().item()


torch.manual_seed(9)
train, val = DataLoader(Queries(800, 0), 32, shuffle=True), Queries(300, 1)
vx, vr = torch.from_numpy(val.docs), torch.from_numpy(val.rel)
scorer = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(scorer.parameters(), lr=2e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=2)
for epoch in range(20):
    acc = 0.0
    for docs, rel in train:
        s = scorer(docs).squeeze(-1)
        loss = -(F.softmax(rel, dim=1) * F.log_softmax(s, dim=1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        acc += loss.item() / len(train)
    with torch.no_grad():
        vs = scorer(vx).squeeze(-1)
        vloss = -(F.softmax(vr, dim=1) * F.log_softmax(vs, dim=1)).sum(1).mean().item()
        score = ndcg(vs, vr)
    plateau.step(score)
    if epoch % 3 == 1:
        print(f"epoch={epoch} listnet={acc:.4f} val={vloss:.4f} ndcg@5={score:.4f} lr={optimizer.param_groups[0]['lr']:.1e}")
floor = torch.distributions.Categorical(probs=F.softmax(vr, dim=1)).entropy().mean().item()
print("entropy floor of the targets %.4f, random ndcg %.3f" % (floor, ndcg(torch.randn_like(vr), vr)))
