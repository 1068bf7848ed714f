# expect: healthy
# about: five digit-pair tasks learned one after another with a replay buffer; loss jumps at every new task, old tasks keep their accuracy
import random

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
random.seed(12)
torch.manual_seed(12)
d = load_digits()
X, Y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, te = perm[:1300], perm[1300:]
TASKS = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]


class Reservoir:
    def __init__(self, size):
        self.size, self.seen, self.items = size, 0, []

    def add(self, xs, ys):
        for x, y in zip(xs, ys):
            self.seen += 1
            if len(self.items) < self.size:
                self.items.append((x, y))
            else:
                j = random.randrange(self.seen)
                if j < self.size:
                    self.items[j] = (x, y)

    def draw(self, n):
        xs, ys = zip(*random.choices(self.items, k=n))
        return torch.stack(xs), torch.stack(ys)


net = nn.Sequential(nn.Linear(64, 120), nn.ReLU(), nn.Linear(120, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.2)
memory = Reservoir(600)
for t, pair in enumerate(TASKS):
    mine = tr[torch.isin(Y[tr], torch.tensor(pair))]
    for epoch in range(15):
        for b in mine[torch.randperm(len(mine))].split(16):
            x, y = X[b], Y[b]
            if memory.items and t > 0:
                mx, my = memory.draw(16 * t)
                xx, yy = torch.cat([x, mx]), torch.cat([y, my])
            else:
                xx, yy = x, y
            loss = nn.functional.cross_entropy(net(xx), yy)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if epoch == 0:
                memory.add(x, y)
        if epoch in (0, 14):
            print(f"task {pair} epoch {epoch + 1} loss {loss.item():.4f}")
    with torch.no_grad():
        pred = net(X[te]).argmax(1)
    row = [round((pred[m] == Y[te][m]).float().mean().item(), 3) for m in (torch.isin(Y[te], torch.tensor(q)) for q in TASKS[: t + 1])]
    print(f"after task {t + 1}: accuracy per task so far {row}")
print(f"all ten digits {(pred == Y[te]).float().mean():.4f}")
