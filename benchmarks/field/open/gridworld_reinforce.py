# expect: healthy
"""REINFORCE with baseline on a small corridor world. The policy loss itself means little; look at the return."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(2)
SIZE, MAXT, B = 6, 20, 32
policy = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 4))
value = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=4e-3)
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


def rollout(greedy=False):
    pos, goal = torch.randint(0, SIZE, (B, 2)), torch.randint(0, SIZE, (B, 2))
    goal = torch.where((pos == goal).all(1, keepdim=True), (goal + 1) % SIZE, goal)
    shortest = (pos - goal).abs().sum(1)
    done = torch.zeros(B, dtype=torch.bool)
    logps, ents, rewards, states, masks = [], [], [], [], []
    for _ in range(MAXT):
        s = torch.cat([pos, goal], 1).float() / (SIZE - 1) * 2 - 1
        dist = Categorical(logits=policy(s))
        a = dist.probs.argmax(1) if greedy else dist.sample()
        masks.append((~done).float())
        pos = torch.where(done[:, None], pos, (pos + MOVES[a]).clamp(0, SIZE - 1))
        hit = (pos == goal).all(1) & ~done
        rewards.append(hit.float() - 0.05 * masks[-1])
        logps.append(dist.log_prob(a)); ents.append(dist.entropy()); states.append(s)
        done = done | hit
    return map(torch.stack, (logps, ents, rewards, states, masks)), shortest


def optimum(shortest):
    return (1 - 0.05 * shortest.float()).mean().item()


for it in range(1, 351):
    (logp, ent, r, s, m), sh = rollout()
    ret = r.flip(0).cumsum(0).flip(0)
    v = value(s).squeeze(-1)
    adv = (ret - v).detach()
    pg = -(logp * adv * m).sum() / m.sum()
    loss = pg + 0.5 * ((ret - v) ** 2 * m).sum() / m.sum() - 0.01 * (ent * m).sum() / m.sum()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*policy.parameters(), *value.parameters()], 1.0)
    opt.step()
    if it % 50 == 0:
        print(f"iter {it} loss {loss.item():+.4f} policy {pg.item():+.4f} return {r.sum(0).mean().item():.3f} (best {optimum(sh):.3f})")
with torch.no_grad():
    res = [rollout(greedy=True) for _ in range(10)]
g = sum(list(o)[2].sum(0).mean().item() for o, _ in res) / 10
print(f"greedy return {g:.3f}, optimum {sum(optimum(sh) for _, sh in res)/10:.3f}")
