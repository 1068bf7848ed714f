# expect: healthy
import argparse
import logging
import torch
from torch import nn
from torch.distributions import Categorical

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("grid")


class Grid:
    def __init__(self, n=5):
        self.n = n

    def reset(self, b):
        self.pos = torch.randint(0, self.n, (b, 2))
        self.goal = torch.randint(0, self.n, (b, 2))
        return self.obs()

    def obs(self):
        o = torch.zeros(len(self.pos), 4 * self.n)
        for k, v in enumerate((self.pos[:, 0], self.pos[:, 1], self.goal[:, 0], self.goal[:, 1])):
            o[torch.arange(len(o)), k * self.n + v] = 1
        return o

    def step(self, a):
        d = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])[a]
        self.pos = (self.pos + d).clamp(0, self.n - 1)
        done = (self.pos == self.goal).all(1)
        r = done.float() - 0.05
        return r, done


def rollout(env, actor, b, T, greedy=False):
    o = env.reset(b)
    alive = torch.ones(b)
    obs, act, rew, mask = [], [], [], []
    for _ in range(T):
        with torch.no_grad():
            lo = actor(o)
        a = lo.argmax(1) if greedy else Categorical(logits=lo).sample()
        r, done = env.step(a)
        obs.append(o); act.append(a); rew.append(r * alive); mask.append(alive.clone())
        alive = alive * (~done).float()
        o = env.obs()
    return torch.stack(obs), torch.stack(act), torch.stack(rew), torch.stack(mask), 1 - alive


def main(args):
    torch.manual_seed(args.seed)
    env = Grid()
    actor = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 4))
    critic = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 1))
    oa = torch.optim.Adam(actor.parameters(), lr=args.lr_actor)
    oc = torch.optim.Adam(critic.parameters(), lr=args.lr_critic)
    log.info("random policy: success %.3f return %.3f", *(lambda r: (r[4].mean().item(), r[2].sum(0).mean().item()))(rollout(env, actor, 500, 12)))
    for it in range(args.iters):
        obs, act, rew, mask, succ = rollout(env, actor, args.batch, 12)
        ret = torch.zeros_like(rew)
        acc = torch.zeros(args.batch)
        for t in reversed(range(12)):
            acc = rew[t] + args.gamma * acc
            ret[t] = acc
        v = critic(obs).squeeze(-1)
        closs = ((v - ret) ** 2 * mask).sum() / mask.sum()
        oc.zero_grad()
        closs.backward()
        oc.step()
        adv = (ret - v).detach()
        adv = adv / (adv[mask > 0].std() + 1e-6)
        dist = Categorical(logits=actor(obs))
        aloss = -((dist.log_prob(act) * adv + args.ent * dist.entropy()) * mask).sum() / mask.sum()
        oa.zero_grad()
        aloss.backward()
        oa.step()
        if it % 50 == 49:
            log.info("it %d actor %.3f critic %.3f success %.3f", it + 1, aloss.item(), closs.item(), succ.mean().item())
    r = rollout(env, actor, 1000, 12, greedy=True)
    log.info("greedy policy: success %.3f return %.3f", r[4].mean().item(), r[2].sum(0).mean().item())


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=450)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--gamma", type=float, default=0.95)
    p.add_argument("--ent", type=float, default=0.02)
    p.add_argument("--lr-actor", type=float, default=5e-3)
    p.add_argument("--lr-critic", type=float, default=5e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
