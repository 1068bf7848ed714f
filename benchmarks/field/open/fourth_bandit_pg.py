# expect: healthy
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Env:
    """contextual bandit: five arms, gaussian rewards"""

    def __init__(self, dim=8, arms=5, seed=0):
        r = np.random.RandomState(seed)
        self.w = torch.tensor(r.randn(dim, arms), dtype=torch.float32)
        self.dim = dim

    def context(self, n):
        return torch.randn(n, self.dim)

    def means(self, c):
        return torch.tanh(c @ self.w)

    def pull(self, c, a):
        return self.means(c).gather(1, a[:, None]).squeeze(1) + 0.5 * torch.randn(len(a))


class Agent(nn.Module):
    def __init__(self, dim, arms):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, arms))
        self.v = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 1))


def train(steps=1200, batch=64, ent=0.01):
    torch.manual_seed(12)
    env = Env()
    agent = Agent(8, 5)
    opt = torch.optim.Adam(agent.parameters(), lr=3e-3)
    for t in range(steps):
        c = env.context(batch)
        dist = Categorical(logits=agent.pi(c))
        a = dist.sample()
        r = env.pull(c, a)
        v = agent.v(c).squeeze(-1)
        adv = (r - v).detach()
        loss = -(dist.log_prob(a) * adv).mean() + 0.5 * (r - v).pow(2).mean() - ent * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if t % 200 == 0:
            print(f"t={t} loss={loss.item():+.3f} reward={r.mean().item():+.3f}")
    c = env.context(4000)
    best = env.means(c).max(1).values.mean().item()
    got = env.means(c).gather(1, agent.pi(c).argmax(1, keepdim=True)).mean().item()
    return got / best


share = train()
print("share of best possible reward", share)
