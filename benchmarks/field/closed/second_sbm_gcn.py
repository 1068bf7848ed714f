# expect: healthy
# Graph convolution written by hand (dense adjacency), semi-supervised node classification
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)
n, k = 600, 4
labels = torch.arange(n) % k
same = labels[:, None] == labels[None, :]
prob = torch.where(same, torch.tensor(0.07), torch.tensor(0.008))
A = torch.bernoulli(prob).triu(1)
A = A + A.T
X = torch.randn(n, 16) + 0.6 * F.one_hot(labels, 16).float()
A_hat = A + torch.eye(n)
d = A_hat.sum(1).rsqrt()
A_norm = d[:, None] * A_hat * d[None, :]

idx = torch.randperm(n)
train_idx, val_idx, test_idx = idx[:60], idx[60:200], idx[200:]


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.w1 = nn.Linear(i, h)
        self.w2 = nn.Linear(h, o)

    def forward(self, x, adj):
        x = F.dropout(x, 0.5, self.training)
        x = F.relu(adj @ self.w1(x))
        x = F.dropout(x, 0.5, self.training)
        return adj @ self.w2(x)


model = GCN(16, 32, k)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-3)
best, best_state = 0, None
for epoch in range(400):
    model.train()
    opt.zero_grad()
    out = model(X, A_norm)
    loss = F.cross_entropy(out[train_idx], labels[train_idx])
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        out = model(X, A_norm)
        va = (out[val_idx].argmax(1) == labels[val_idx]).float().mean().item()
        vl = F.cross_entropy(out[val_idx], labels[val_idx]).item()
    if va > best:
        best, best_state = va, {k_: v.clone() for k_, v in model.state_dict().items()}
    if epoch % 40 == 0:
        print(f"epoch {epoch:3d} train {loss.item():.3f} val {vl:.3f} acc {va:.3f}")
model.load_state_dict(best_state)
model.eval()
test = (model(X, A_norm)[test_idx].argmax(1) == labels[test_idx]).float().mean().item()
from sklearn.linear_model import LogisticRegression
lr = LogisticRegression(max_iter=500).fit(X[train_idx].numpy(), labels[train_idx].numpy())
print(f"test acc GCN {test:.3f}, logistic regression on features {lr.score(X[test_idx].numpy(), labels[test_idx].numpy()):.3f}")
