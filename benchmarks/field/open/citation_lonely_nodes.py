# expect: nonfinite-data
# about: citation-like graph, row-normalised adjacency prepared once before training
import numpy as np
import torch
import torch.nn as nn

np.random.seed(46)
torch.manual_seed(46)
torch.set_num_threads(1)
N, C = 500, 5
label = np.random.randint(0, C, N)
same = label[:, None] == label[None]
adj = np.triu(np.random.rand(N, N) < np.where(same, 0.03, 0.003), 1)
adj = (adj | adj.T).astype(np.float32)
words = (np.random.rand(N, 60) < 0.05 + 0.12 * (np.arange(60)[None] // 12 == label[:, None])).astype(np.float32)

degree = adj.sum(1, keepdims=True)
with np.errstate(all="ignore"):
    norm_adj = adj / degree
A, X, y = torch.from_numpy(norm_adj), torch.from_numpy(words), torch.from_numpy(label)
order = torch.randperm(N)
train, test = order[:150], order[150:]


class SAGE(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.self1, self.nb1 = nn.Linear(i, h), nn.Linear(i, h)
        self.self2, self.nb2 = nn.Linear(h, o), nn.Linear(h, o)
        self.drop = nn.Dropout(0.4)

    def forward(self, a, x):
        h = torch.relu(self.self1(x) + self.nb1(a @ x))
        h = self.drop(h)
        return self.self2(h) + self.nb2(a @ h)


net = SAGE(60, 32, C)
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(1, 201):
    net.train()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(A, X)[train], y[train])
    loss.backward()
    opt.step()
    if epoch % 25 == 0:
        net.eval()
        with torch.no_grad():
            acc = (net(A, X)[test].argmax(1) == y[test]).float().mean()
        print(f"epoch {epoch} loss {loss.item():.4f} test acc {acc:.3f}")
# cure: - norm_adj = adj / degree
# cure: + norm_adj = adj / np.maximum(degree, 1)
