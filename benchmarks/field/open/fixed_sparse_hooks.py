# expect: healthy
# about: nine in ten weights fixed at zero from the start by a random mask, gradient hooks keep them there; the sparse wide layer still fits well
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1

torch.manual_seed(163)
torch.set_num_threads(1)
X, y = make_friedman1(9000, 10, noise=0.5, random_state=3)
X = torch.tensor(X).float() * 3.46 - 1.73
y = torch.tensor(y).float()
y = (y - y[:8000].mean()) / y[:8000].std()
DENSITY = 0.1


def sparse_linear(nin, nout):
    layer = nn.Linear(nin, nout)
    mask = (torch.rand(nout, nin) < DENSITY).float()
    with torch.no_grad():
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        layer.weight.mul_(mask / DENSITY**0.5)
    layer.weight.register_hook(lambda g: g * mask)
    return layer


net = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), sparse_linear(256, 256), nn.ReLU(), nn.Linear(256, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=10 * 80)
for epoch in range(10):
    net.train()
    s = 0.0
    for b in torch.randperm(8000).split(100):
        loss = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        s += loss.item() / 80
    net.eval()
    with torch.no_grad():
        p = net(X[8000:]).squeeze(1)
    zero = (net[2].weight == 0).float().mean().item()
    print(f"epoch {epoch + 1:2d} train {s:.4f} test mse {nn.functional.mse_loss(p, y[8000:]).item():.4f} (noise floor {0.25 / 25:.3f}) zeros {zero:.3f}")
