# expect: healthy
# about: mixture density network for an ambiguous inverse problem; NLL goes negative
import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

torch.set_num_threads(1)
torch.manual_seed(7)


def make(n):
    t = torch.rand(n, 1)
    x = t + 0.3 * torch.sin(2 * torch.pi * t) + 0.03 * torch.randn(n, 1)
    return x, t


class MDN(nn.Module):
    def __init__(self, k=5):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.mu, self.log_sigma = nn.Linear(64, k), nn.Linear(64, k), nn.Linear(64, k)
        with torch.no_grad():
            self.mu.bias.copy_(torch.linspace(0, 1, k))

    def forward(self, x):
        h = self.trunk(x)
        comp = Normal(self.mu(h), self.log_sigma(h).clamp(-5, 2).exp())
        return MixtureSameFamily(Categorical(logits=self.pi(h)), comp)


x, t = make(3000)
xv, tv = make(1000)
net = MDN()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 800)
for i in range(800):
    b = torch.randint(0, 3000, (256,))
    nll = -net(x[b]).log_prob(t[b].squeeze(1)).mean()
    optimizer.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimizer.step()
    sched.step()
    if i % 100 == 99:
        with torch.no_grad():
            v = -net(xv).log_prob(tv.squeeze(1)).mean()
        print(f"{i + 1} nll {nll.item():.4f} val nll {v:.4f}")
single = 0.5 * torch.log(2 * torch.pi * torch.e * tv.var()).item()
print(f"a single Gaussian would have {single:.4f}")
