# expect: unstable-math
# about: hand-written cross-entropy takes log of a sigmoid that reaches exactly 1
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def binary_cross_entropy(p, t):
    return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()


x = torch.randn(2000, 6)
t = (x[:, 0] + x[:, 1] * x[:, 2] > 0).float()
x[:, 0] *= 3
net = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(20):
    for b in torch.randperm(1600).split(32):
        p = torch.sigmoid(net(x[b])).squeeze(1)
        loss = binary_cross_entropy(p, t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        pv = torch.sigmoid(net(x[1600:])).squeeze(1)
        acc = ((pv > 0.5) == (t[1600:] > 0.5)).float().mean()
    print(f"epoch {epoch} loss {loss.item():.4f} val acc {acc.item():.4f}")
# cure: - return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
# cure: + p = p.clamp(1e-4, 1 - 1e-4)
# cure: + return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
