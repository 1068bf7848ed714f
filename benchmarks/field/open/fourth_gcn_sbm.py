# expect: healthy
"""Two-layer graph convolution on a stochastic block model, a few labels per class."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)
N, K = 450, 3
y = torch.arange(N) % K
same = y[:, None] == y[None, :]
prob = torch.where(same, torch.tensor(0.06), torch.tensor(0.008))
A = (torch.rand(N, N) < prob).float().triu(1)
A = A + A.T
A_hat = A + torch.eye(N)
d = A_hat.sum(1).rsqrt()
A_hat = d[:, None] * A_hat * d[None, :]
X = F.one_hot(y, K).float() @ torch.randn(K, 16) * 0.6 + torch.randn(N, 16)
perm = torch.randperm(N)
train_idx, test_idx = perm[:60], perm[150:]


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.w1 = nn.Linear(i, h)
        self.w2 = nn.Linear(h, o)

    def forward(self, a, x):
        h = F.relu(a @ self.w1(x))
        h = F.dropout(h, 0.5, self.training)
        return a @ self.w2(h)


net = GCN(16, 32, K)
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(600):
    net.train()
    opt.zero_grad()
    loss = F.cross_entropy(net(A_hat, X)[train_idx], y[train_idx])
    loss.backward()
    opt.step()
    if epoch % 100 == 99:
        net.eval()
        acc = (net(A_hat, X)[test_idx].argmax(1) == y[test_idx]).float().mean().item()
        print(epoch + 1, round(loss.item(), 4), round(acc, 4))
