# expect: healthy
# about: RealNVP on two moons, negative log-likelihood passes below zero
import torch
from torch import nn
from sklearn.datasets import make_moons

torch.manual_seed(0)
torch.set_num_threads(1)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2 == 0) for i in range(n))
        self.prior = torch.distributions.Normal(0.0, 1.0)

    def log_prob(self, x):
        total = 0
        for layer in self.layers:
            x, ld = layer(x)
            total = total + ld
        return self.prior.log_prob(x).sum(1) + total


x_all, _ = make_moons(5000, noise=0.03, random_state=0)
x_all = torch.tensor(x_all * 0.5).float()
flow = Flow()
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 800)
for it in range(800):
    nll = -flow.log_prob(x_all[torch.randint(0, 4000, (128,))]).mean()
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 20.0)
    opt.step()
    sched.step()
    if it % 100 == 99:
        with torch.no_grad():
            print(f"iter {it + 1}: nll {nll.item():.3f} held-out nll {-flow.log_prob(x_all[4000:]).mean().item():.3f}")
