# expect: unstable-math
import math, torch
from torch import nn
torch.manual_seed(0)
# predict the distance between two sensors from their readings
W = torch.randn(2, 12)
def draw(n):
    a, b = torch.randint(-30, 31, (n, 2)).float() / 15, torch.randint(-30, 31, (n, 2)).float() / 15
    return torch.cat([torch.tanh(a @ W * .5), torch.tanh(b @ W * .5)], 1), (a - b).norm(dim=1) + .02 * torch.randn(n)
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
def dist(x):
    d = net(x[:, :12]) - net(x[:, 12:])
    return torch.sqrt((d ** 2).sum(1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
xv, yv = draw(1000)
for i in range(1500):
    x, y = draw(64)
    loss = (dist(x) - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if i % 250 == 249:
        with torch.no_grad(): print(i, loss.item(), "val R2", 1 - ((dist(xv) - yv).pow(2).mean() / yv.var()).item())
