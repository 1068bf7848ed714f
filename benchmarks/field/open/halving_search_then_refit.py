# expect: healthy
# about: successive halving over learning rate and width (bad candidates die early on purpose), then the winner is trained in full and reported
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(43)
random.seed(43)
d = load_digits()
X, Y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, va, te = perm[:1100], perm[1100:1400], perm[1400:]


class Candidate:
    def __init__(self, lr, width, dropout):
        self.conf = (lr, width, dropout)
        self.net = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 10))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)

    def train(self, epochs, rows, sched=None):
        for _ in range(epochs):
            self.net.train()
            for b in rows[torch.randperm(len(rows))].split(32):
                loss = F.cross_entropy(self.net(X[b]), Y[b])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            if sched:
                sched.step()
        return loss.item()

    @torch.no_grad()
    def score(self, rows):
        self.net.eval()
        out = self.net(X[rows])
        return F.cross_entropy(out, Y[rows]).item(), (out.argmax(1) == Y[rows]).float().mean().item()


pool = [Candidate(10 ** random.uniform(-4.5, -1.3), random.choice([32, 64, 128]), random.choice([0.1, 0.3])) for _ in range(9)]
budget = 2
while len(pool) > 1:
    for c in pool:
        c.train(budget, tr)
    pool.sort(key=lambda c: c.score(va)[0])
    print(f"rung with {budget} epochs: best {pool[0].conf} val {pool[0].score(va)[0]:.4f}, worst val {pool[-1].score(va)[0]:.4f}")
    pool, budget = pool[: max(1, len(pool) // 3)], budget * 2

lr, width, dropout = pool[0].conf
final = Candidate(lr, width, dropout)
both = torch.cat([tr, va])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(final.opt, 20)
for block in range(4):
    loss = final.train(5, both, sched)
    print(f"refit {5 * (block + 1)} epochs, last batch {loss:.4f}")
loss, acc = final.score(te)
print(f"test loss {loss:.4f} acc {acc:.4f}")
