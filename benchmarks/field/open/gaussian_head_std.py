# expect: wrong-loss
# about: own Gaussian likelihood lost its log-variance term: the predicted spread grows without end
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(2000, 1) * 4 - 2
y = torch.sin(2 * x) + (0.05 + 0.2 * x.abs()) * torch.randn_like(x)


class Probabilistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.mu, self.raw = nn.Linear(48, 1), nn.Linear(48, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mu(h), F.softplus(self.raw(h)) + 1e-3


def nll(mu, sigma, y):
    z = (y - mu) / sigma
    return (0.5 * z**2).mean()


net = Probabilistic()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(20):
    for b in torch.randperm(1600).split(40):
        opt.zero_grad()
        loss = nll(*net(x[b]), y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        mu, sigma = net(x[1600:])
        print(f"epoch {epoch} loss {loss.item():.5f} val mse {F.mse_loss(mu, y[1600:]).item():.4f} mean sigma {sigma.mean().item():.3f}")
# cure: - return (0.5 * z**2).mean()
# cure: + return (0.5 * z**2 + sigma.log()).mean()
