# expect: healthy
# about: full-batch GCN with masks, block-model graph, Adam with weight decay
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(12)
torch.set_num_threads(1)
N, C = 600, 4
labels = torch.randint(0, C, (N,))
prob = torch.where(labels[:, None] == labels[None], 0.03, 0.004)
A = torch.bernoulli(prob.triu(1))
A = A + A.T + torch.eye(N)
deg = A.sum(1)
A_hat = A / (deg[:, None] * deg[None]).sqrt()
feats = torch.randn(N, 16) + 0.6 * torch.randn(C, 16)[labels]
order = torch.randperm(N)
train_mask, val_mask, test_mask = (torch.zeros(N, dtype=torch.bool) for _ in range(3))
train_mask[order[:200]] = True
val_mask[order[200:350]] = True
test_mask[order[350:]] = True


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.lin1, self.lin2, self.dropout = nn.Linear(nfeat, nhid), nn.Linear(nhid, nclass), dropout

    def forward(self, x, adj):
        x = F.relu(adj @ self.lin1(x))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(adj @ self.lin2(x), dim=1)


model = GCN(16, 32, C, 0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(100):
    model.train()
    optimizer.zero_grad()
    output = model(feats, A_hat)
    loss_train = F.nll_loss(output[train_mask], labels[train_mask])
    loss_train.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        output = model(feats, A_hat)
        loss_val = F.nll_loss(output[val_mask], labels[val_mask])
        acc_val = (output[val_mask].argmax(1) == labels[val_mask]).float().mean()
    if epoch % 10 == 9:
        print(f"Epoch: {epoch:04d} loss_train: {loss_train.item():.4f} loss_val: {loss_val.item():.4f} acc_val: {acc_val.item():.4f}")
print("test", (output[test_mask].argmax(1) == labels[test_mask]).float().mean().item())
