# expect: broadcast-loss
# about: pinball loss written by hand; the median head gives a column, the targets are flat
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(2000, 2) * 4 - 2
y = torch.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * torch.randn(2000)
net = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
tau = 0.5


def pinball(pred, target):
    e = target - pred
    return torch.maximum(tau * e, (tau - 1) * e).mean()


for epoch in range(15):
    run = 0
    for b in torch.randperm(1600).split(40):
        opt.zero_grad()
        q = net(x[b])
        loss = pinball(q, y[b])
        loss.backward()
        opt.step()
        run += loss.item() / 40
    with torch.no_grad():
        q = net(x[1600:]).flatten()
        print(f"epoch {epoch} pinball {run:.4f} val mae {(q - y[1600:]).abs().mean().item():.4f} coverage {(y[1600:] < q).float().mean().item():.3f}")
# cure: - q = net(x[b])
# cure: + q = net(x[b]).squeeze(1)
