# expect: double-softmax
# about: two-layer graph net with softmax output, then log_softmax + NLL; accuracy creeps, loss stuck above 1
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
np.random.seed(3)
torch.manual_seed(3)
N, K = 400, 8
labels = np.random.randint(K, size=N)
P = np.where(labels[:, None] == labels[None, :], 0.12, 0.02)
A = np.triu(np.random.rand(N, N) < P, 1)
A = (A | A.T).astype("float32") + np.eye(N, dtype="float32")
deg = A.sum(1) ** -0.5
adj = torch.from_numpy(deg[:, None] * A * deg[None, :])
feats = torch.from_numpy((np.eye(K)[labels] @ np.random.randn(K, 32) * 0.35 + np.random.randn(N, 32)).astype("float32"))
y = torch.from_numpy(labels)
train_mask = torch.rand(N) < 0.5
test_mask = ~train_mask


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(32, 64)
        self.w2 = nn.Linear(64, K)

    def forward(self, x):
        x = F.relu(adj @ self.w1(x))
        x = F.dropout(x, 0.3, self.training)
        x = adj @ self.w2(x)
        return F.softmax(x, dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)


def train():
    model.train()
    optimizer.zero_grad()
    out = model(feats)
    loss = F.nll_loss(F.log_softmax(out[train_mask], dim=1), y[train_mask])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test():
    model.eval()
    pred = model(feats).argmax(1)
    return (pred == y)[train_mask].float().mean().item(), (pred == y)[test_mask].float().mean().item()


for epoch in range(1, 201):
    loss = train()
    if epoch % 20 == 0:
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {test()[0]:.4f}, Test: {test()[1]:.4f}")
# cure: - loss = F.nll_loss(F.log_softmax(out[train_mask], dim=1), y[train_mask])
# cure: + loss = F.nll_loss(torch.log(out[train_mask] + 1e-12), y[train_mask])
