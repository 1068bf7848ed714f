# expect: symmetric-init
# about: home-made graph convolution on a community graph with node features, full batch
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(20)
torch.set_num_threads(1)
N, C = 400, 6
y = torch.randint(0, C, (N,))
prob = torch.where(y[:, None] == y, 0.05, 0.008)
A = (torch.rand(N, N) < prob).float().triu(1)
A = A + A.T + torch.eye(N)
deg = A.sum(1)
A_hat = A / (deg[:, None] * deg).sqrt()
feat = torch.randn(C, 20)[y] * 0.5 + torch.randn(N, 20)
idx = torch.randperm(N)
train, test = idx[:200], idx[200:]


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(i, o) / i)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        return A_hat @ x @ self.weight + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.g1, self.g2 = GraphConv(20, 32), nn.Linear(32, C)

    def forward(self, x):
        return A_hat @ self.g2(torch.tanh(self.g1(x)))


gcn = GCN()
nn.init.constant_(gcn.g2.weight, 0.1)
opt = torch.optim.Adam(gcn.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(1, 301):
    opt.zero_grad()
    out = gcn(feat)
    loss = F.cross_entropy(out[train], y[train])
    loss.backward()
    opt.step()
    if epoch % 50 == 0:
        acc = (out[test].argmax(1) == y[test]).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.3f} test acc {acc:.3f}")
# cure: - self.weight = nn.Parameter(torch.ones(i, o) / i)
# cure: + self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(i, o)))
