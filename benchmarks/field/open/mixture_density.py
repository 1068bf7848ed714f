# expect: unstable-math
# about: mixture density network: exp of the log-likelihoods underflows to zero and log(0) is taken
import math

import torch
import torch.nn as nn

torch.manual_seed(3)
torch.set_num_threads(1)
x = torch.rand(2000, 1) * 2 - 1
high = torch.rand(2000, 1) < 0.65
y = torch.where(high, 22 + 6 * x, -6 - 4 * x) + torch.randn_like(x)


class MDN(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.h = nn.Sequential(nn.Linear(1, 48), nn.Tanh())
        self.pi, self.mu, self.ls = nn.Linear(48, k), nn.Linear(48, k), nn.Linear(48, k)

    def forward(self, x):
        h = self.h(x)
        return torch.log_softmax(self.pi(h), 1), self.mu(h), self.ls(h)


def mixture_nll(logpi, mu, log_s, t):
    comp = logpi - 0.5 * ((t - mu) / log_s.exp()) ** 2 - log_s - 0.5 * math.log(2 * math.pi)
    return -torch.log(torch.exp(comp).sum(1)).mean()


mdn = MDN()
opt = torch.optim.Adam(mdn.parameters(), lr=1e-2)
for epoch in range(25):
    tot = 0.0
    for b in torch.randperm(1600).split(40):
        loss = mixture_nll(*mdn(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
    with torch.no_grad():
        v = mixture_nll(*mdn(x[1600:]), y[1600:]).item()
    if epoch % 3 == 0:
        print(f"epoch {epoch} train nll {tot:.4f} val nll {v:.4f}")
# cure: - return -torch.log(torch.exp(comp).sum(1)).mean()
# cure: + return -torch.logsumexp(comp, 1).mean()
