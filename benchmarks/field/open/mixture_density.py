# expect: unstable-math
# also: lr-too-high
# about: mixture density network: exp of the log-likelihoods underflows to zero and log(0) is taken
import math

import torch
import torch.nn as nn

torch.manual_seed(3)
torch.set_num_threads(1)
y = torch.rand(2000, 1) * 20 - 10
x = torch.sin(0.75 * y) * 7 + y * 0.5 + 0.5 * torch.randn_like(y)
x = x / 5
perm = torch.randperm(2000)
x, y = x[perm], y[perm]


class MDN(nn.Module):
    def __init__(self, k=6):
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
opt = torch.optim.Adam(mdn.parameters(), lr=3e-3)
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
