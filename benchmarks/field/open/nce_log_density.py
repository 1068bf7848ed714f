# expect: healthy
# about: noise-contrastive estimation of an unnormalised density with its log-normaliser as a free parameter; the loss has a high floor because data and noise overlap
import math

import torch
from torch import nn

torch.set_num_threads(1)
g = torch.Generator().manual_seed(5)
torch.manual_seed(5)
DIM, K = 3, 4
L = torch.tensor([[1.0, 0, 0], [0.6, 0.8, 0], [-0.4, 0.3, 0.7]])


def data(n):
    z = torch.randn(n, DIM, generator=g) @ L.T
    side = (torch.rand(n, 1, generator=g) < 0.3).float() * 2.5
    return z + side


noise = torch.distributions.MultivariateNormal(data(5000).mean(0), data(5000).T.cov())
comp = torch.distributions.MultivariateNormal(torch.zeros(DIM), L @ L.T)


def true_logp(x):
    return torch.logaddexp(math.log(0.7) + comp.log_prob(x), math.log(0.3) + comp.log_prob(x - 2.5))


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(DIM, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))
        self.quad = nn.Parameter(torch.eye(DIM) * 0.5)
        self.log_z = nn.Parameter(torch.tensor(3.0))

    def forward(self, x):
        return self.f(x).squeeze(-1) - (x @ self.quad).pow(2).sum(-1) - self.log_z


model = Energy()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
steps = 1500
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
test = data(4000)


def nce(logp_model, x, e, logp_e):
    pos = logp_model(x) - noise.log_prob(x) - math.log(K)
    neg = logp_model(e) - logp_e - math.log(K)
    return nn.functional.softplus(-pos).mean() + K * nn.functional.softplus(neg).mean()


for step in range(1, steps + 1):
    x, e = data(256), noise.sample((256 * K,))
    loss = nce(model, x, e, noise.log_prob(e))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 250 == 0:
        with torch.no_grad():
            print(f"step {step} nce {loss.item():.4f} test log-likelihood {model(test).mean().item():.4f} log z {model.log_z.item():.3f}")
e = noise.sample((16000,))
with torch.no_grad():
    print(f"floor of the loss {nce(true_logp, test, e, noise.log_prob(e)).item():.4f} | log-likelihood true {true_logp(test).mean():.4f}, gaussian {noise.log_prob(test).mean():.4f} | integral of the model {(model(e) - noise.log_prob(e)).exp().mean():.3f}")
