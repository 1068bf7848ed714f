# expect: unshuffled-data
# about: IterableDataset that streams the shards it finds, one per digit class, in file order
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, IterableDataset

torch.set_num_threads(1)
torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
y = torch.tensor(d.target)
hold = torch.arange(len(y)) % 5 == 0
shards = [(x[~hold][y[~hold] == k], y[~hold][y[~hold] == k]) for k in range(10)]


class ShardStream(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def records(self):
        for sx, sy in self.shards:
            yield from zip(sx, sy)

    def __iter__(self):
        rows = list(self.records())
        return iter(rows)


net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
loader = DataLoader(ShardStream(shards), batch_size=32)
for epoch in range(8):
    log = []
    for xb, yb in loader:
        loss = loss_fn(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
    with torch.no_grad():
        out = net(x[hold])
    print("epoch", epoch, "train %.3f" % (sum(log) / len(log)), "first/last %.2f %.2f" % (log[0], log[-1]), "val %.3f" % loss_fn(out, y[hold]).item(), "acc %.3f" % (out.argmax(1) == y[hold]).float().mean().item())
# cure: - rows = list(self.records())
# cure: + rows = list(self.records())
# cure: + rows = [rows[i] for i in torch.randperm(len(rows))]
