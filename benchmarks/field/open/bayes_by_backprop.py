# expect: healthy
# about: weight uncertainty: every weight has a mean and a spread, new noise each forward, the loss is a full ELBO in the thousands of nats; calibrated intervals checked at the end
import math

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(64)


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) / math.sqrt(i))
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        s = F.softplus(self.rho)
        mean, var = F.linear(x, self.mu, self.bias), F.linear(x**2, s**2)
        return mean + (var + 1e-8).sqrt() * torch.randn_like(mean)

    def kl(self):
        s = F.softplus(self.rho)
        return (0.5 * (s**2 + self.mu**2 - 1) - s.log()).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = BayesLinear(3, 40), BayesLinear(40, 40), BayesLinear(40, 1)
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x))))).squeeze(1)

    def elbo_loss(self, x, y, n):
        var = (2 * self.log_noise).exp()
        nll = 0.5 * ((self(x) - y) ** 2 / var + 2 * self.log_noise + math.log(2 * math.pi))
        return nll.mean() * n + sum(m.kl() for m in (self.a, self.b, self.c))


f = lambda x: torch.sin(2 * x[:, 0]) * x[:, 1] + 0.5 * x[:, 2] ** 2
N, NOISE = 4000, 0.2
X = torch.rand(N + 1000, 3) * 3 - 1.5
Y = f(X) + NOISE * torch.randn(N + 1000)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-2)
EPOCHS = 40
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
for ep in range(EPOCHS):
    run = 0.0
    for b in torch.randperm(N).split(100):
        loss = net.elbo_loss(X[b], Y[b], N)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 40
    sched.step()
    if ep % 5 == 4:
        with torch.no_grad():
            draws = torch.stack([net(X[N:]) for _ in range(30)])
        rmse = (draws.mean(0) - f(X[N:])).pow(2).mean().sqrt().item()
        print(f"epoch {ep + 1} -elbo {run:.1f} noise {net.log_noise.exp().item():.3f} ({NOISE}) test rmse to the true surface {rmse:.4f} of {Y.std():.3f}")
total = (draws.var(0) + (2 * net.log_noise).exp()).sqrt()
print(f"95 % intervals hold {((draws.mean(0) - Y[N:]).abs() < 1.96 * total).float().mean().item():.3f} of the test points")
