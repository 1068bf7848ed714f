# expect: healthy
# about: GraphSAGE with sampled neighbours on a synthetic citation graph, few labels per class, test accuracy far above features alone
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression

torch.manual_seed(4)
torch.set_num_threads(1)
rng = np.random.default_rng(4)
N, C, D = 1500, 5, 40
label = rng.integers(0, C, N)
centres = rng.normal(0, 1, (C, D))
feat = (0.35 * centres[label] + rng.normal(0, 1, (N, D))).astype(np.float32)
neigh = []
by_class = [np.flatnonzero(label == c) for c in range(C)]
for v in range(N):
    deg = rng.integers(3, 9)
    same = rng.random(deg) < 0.78
    neigh.append(np.where(same, rng.choice(by_class[label[v]], deg), rng.integers(0, N, deg)))
x, y = torch.from_numpy(feat), torch.from_numpy(label)
perm = rng.permutation(N)
train, val, test = perm[:400], perm[400:700], perm[700:]


def sample(nodes, k):
    return torch.from_numpy(np.stack([rng.choice(neigh[v], k) for v in nodes]))


class SAGE(nn.Module):
    def __init__(self, d, h, c):
        super().__init__()
        self.l1, self.l2 = nn.Linear(2 * d, h), nn.Linear(2 * h, h)
        self.out = nn.Linear(h, c)
        self.drop = nn.Dropout(0.3)

    def forward(self, nodes, k1=6, k2=6):
        hop1 = sample(nodes, k1)
        hop2 = sample(hop1.flatten().numpy(), k2).view(len(nodes), k1, k2)
        h1 = F.relu(self.l1(torch.cat([x[hop1], x[hop2].mean(2)], -1)))
        h0 = F.relu(self.l1(torch.cat([x[torch.from_numpy(nodes)], x[hop1].mean(1)], -1)))
        z = F.relu(self.l2(self.drop(torch.cat([h0, h1.mean(1)], -1))))
        return self.out(self.drop(z))


model = SAGE(D, 32, C)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 15)
for epoch in range(15):
    model.train()
    rng.shuffle(train)
    losses = []
    for i in range(0, len(train), 25):
        nodes = train[i : i + 25]
        loss = F.cross_entropy(model(nodes), y[nodes])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    sched.step()
    model.eval()
    with torch.no_grad():
        out = model(val)
    print(f"epoch {epoch} loss {np.mean(losses):.4f} val loss {F.cross_entropy(out, y[val]).item():.4f} val acc {(out.argmax(1) == y[val]).float().mean():.4f}")
with torch.no_grad():
    acc = (model(test).argmax(1) == y[test]).float().mean().item()
base = LogisticRegression(C=0.05, max_iter=500).fit(feat[train], label[train]).score(feat[test], label[test])
print(f"test acc {acc:.4f}; features only {base:.4f}")
