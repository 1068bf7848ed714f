# expect: optimizer-misconfigured
# about: self-written heavy-ball optimizer with a momentum of 1.0: the velocity is never forgotten
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class HeavyBall(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                v = self.state[p].setdefault("v", torch.zeros_like(p))
                v.mul_(group["momentum"]).add_(p.grad)
                p.sub_(group["lr"] * v)


X = torch.randn(1500, 6)
y = torch.sin(X[:, 0]) + X[:, 1] * 0.5 - 0.3 * X[:, 2] ** 2
net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
opt = HeavyBall(net.parameters(), lr=0.01, momentum=1.0)
for epoch in range(15):
    tot = 0.0
    for b in torch.randperm(1200).split(40):
        loss = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 30
    with torch.no_grad():
        print(f"epoch {epoch} train {tot:.4f} val {nn.functional.mse_loss(net(X[1200:]).squeeze(1), y[1200:]).item():.4f}")
# cure: - opt = HeavyBall(net.parameters(), lr=0.01, momentum=1.0)
# cure: + opt = HeavyBall(net.parameters(), lr=0.01, momentum=0.9)
