# expect: broadcast-loss
# about: three quantile heads sliced as columns against a flat target vector; all predictions collapse to global quantiles
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(19)
n = 2000
X = torch.randn(n, 6)
speed = 8 + 3 * torch.sin(X[:, 0]) + 2 * X[:, 1] * (X[:, 2] > 0) + (0.4 + 0.3 * X[:, 3].abs()) * torch.randn(n)
speed = (speed - 8) / 3
QUANTILES = (0.1, 0.5, 0.9)


class QuantileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.heads = nn.Linear(48, len(QUANTILES))

    def forward(self, x):
        return self.heads(self.body(x))


def pinball(pred, target):
    losses = []
    for i, q in enumerate(QUANTILES):
        err = target - pred[:, i:i + 1]
        losses.append(torch.maximum(q * err, (q - 1) * err).mean())
    return sum(losses)


y = speed.float()
net = QuantileNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for ep in range(14):
    for b in torch.randperm(1600).split(64):
        loss = pinball(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        p = net(X[1600:])
        t = speed[1600:]
        mae = (p[:, 1] - t).abs().mean().item()
        width = (p[:, 2] - p[:, 0]).mean().item()
    print("epoch %2d pinball %.4f | median MAE %.3f (constant %.3f) | band width %.2f" % (ep, loss.item(), mae, (t - t.median()).abs().mean().item(), width))
# cure: - y = speed.float()
# cure: + y = speed.float().unsqueeze(1)
