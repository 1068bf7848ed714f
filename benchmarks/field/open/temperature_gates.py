# expect: saturated-activations
# about: soft decision tree whose gates divide by a temperature of 0.005, so every gate is 0 or 1
import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
X = torch.randn(2400, 6)
y = ((X[:, 0] * X[:, 1] > 0) ^ (X[:, 2] > 0.5)).long()


class SoftTree(nn.Module):
    def __init__(self, depth, temperature):
        super().__init__()
        self.depth, self.t = depth, temperature
        self.gate = nn.Linear(6, 2**depth - 1)
        self.leaf = nn.Parameter(torch.randn(2**depth, 2) * 0.1)

    def forward(self, x):
        g = torch.sigmoid(self.gate(x) / self.t)
        p = torch.ones(len(x), 1)
        start = 0
        for d in range(self.depth):
            node = g[:, start : start + 2**d]
            p = torch.stack([p * node, p * (1 - node)], 2).flatten(1)
            start += 2**d
        return p @ self.leaf


tree = SoftTree(5, temperature=0.005)
opt = torch.optim.Adam(tree.parameters(), lr=0.02)
for epoch in range(20):
    for b in torch.randperm(2000).split(50):
        loss = nn.functional.cross_entropy(tree(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 2:
        with torch.no_grad():
            o = tree(X[2000:])
            print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[2000:]).item():.4f} acc {(o.argmax(1) == y[2000:]).float().mean().item():.3f}")
# cure: - tree = SoftTree(5, temperature=0.005)
# cure: + tree = SoftTree(5, temperature=1.0)
