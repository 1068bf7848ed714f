# expect: class-imbalance
# about: machine state from log windows, six states of which 'running' fills nearly all rows
import torch
from torch import nn

torch.manual_seed(61)
torch.set_num_threads(1)
share = torch.tensor([0.95, 0.01, 0.01, 0.01, 0.01, 0.01])
centre = torch.randn(6, 16) * 0.42


def rows(n):
    y = torch.multinomial(share, n, replacement=True)
    return centre[y] + torch.randn(n, 16), y


class StateNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 6))

    def forward(self, x):
        return self.body(x)


def per_class(net, x, y):
    with torch.no_grad():
        p = net(x).argmax(1)
    return torch.stack([(p[y == c] == c).float().mean() for c in range(6)])


x, y = rows(8000)
xv, yv = rows(6000)
net = StateNet()
weight = torch.ones(6)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(1, 6):
    for b in torch.randperm(8000).split(64):
        loss = nn.functional.cross_entropy(net(x[b]), y[b], weight=weight)
        opt.zero_grad()
        loss.backward()
        opt.step()
    r = per_class(net, xv, yv)
    print(f"epoch {epoch} loss {loss.item():.3f} recall per state {[round(v, 2) for v in r.tolist()]} balanced {r.mean():.3f}")
# cure: - weight = torch.ones(6)
# cure: + weight = 1 / share / (1 / share).mean()
