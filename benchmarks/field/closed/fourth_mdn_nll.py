# expect: healthy
"""Mixture density network on a multi-valued map."""
import torch
import torch.nn as nn
import torch.distributions as D


class MDN(nn.Module):
    def __init__(self, k=5, h=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.mu, self.s = nn.Linear(h, k), nn.Linear(h, k), nn.Linear(h, k)

    def forward(self, x):
        h = self.trunk(x)
        mix = D.Categorical(logits=self.pi(h))
        comp = D.Normal(self.mu(h), nn.functional.softplus(self.s(h)) + 1e-3)
        return D.MixtureSameFamily(mix, comp)


def sample(n):
    t = torch.rand(n, 1)
    x = t + 0.3 * torch.sin(2 * torch.pi * t) + 0.01 * torch.randn(n, 1)
    return x * 2 - 1, t.squeeze(1)


class Runner:
    def __init__(self, steps=1500, lr=3e-3):
        torch.manual_seed(8)
        self.train, self.test = sample(4000), sample(1000)
        self.net = MDN()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.steps = steps
        self.log = []

    def step(self):
        k = torch.randint(4000, (128,))
        loss = -self.net(self.train[0][k]).log_prob(self.train[1][k]).mean()
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self):
        for i in range(self.steps):
            self.log.append(self.step())
            if i % 300 == 299:
                print("step", i + 1, "train nll", sum(self.log[-100:]) / 100)
        with torch.no_grad():
            self.test_nll = -self.net(self.test[0]).log_prob(self.test[1]).mean().item()
        print("held-out nll", self.test_nll)


runner = Runner()
runner.fit()
