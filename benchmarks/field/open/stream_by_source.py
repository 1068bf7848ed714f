# expect: unshuffled-data
# about: IterableDataset that reads one source after another; each source has one class
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(3)
torch.set_num_threads(1)
CLASSES, DIM = 6, 16
centers = 0.8 * torch.randn(CLASSES, DIM)
shards = [centers[c] + torch.randn(300, DIM) for c in range(CLASSES)]
held = [centers[c] + torch.randn(100, DIM) for c in range(CLASSES)]


class Stream(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def __iter__(self):
        for c, shard in enumerate(self.shards):
            for row in shard:
                yield row, c


class ShuffledStream(Stream):
    def __iter__(self):
        rows = list(super().__iter__())
        for i in torch.randperm(len(rows)).tolist():
            yield rows[i]


train = DataLoader(Stream(shards), batch_size=20)
test = DataLoader(Stream(held), batch_size=200)
net = nn.Sequential(nn.Linear(DIM, 64), nn.Tanh(), nn.Linear(64, CLASSES))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
for epoch in range(10):
    net.train()
    for x, y in train:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        r = [(nn.functional.cross_entropy(net(x), y), (net(x).argmax(1) == y).float().mean()) for x, y in test]
    print("epoch", epoch, "train", round(loss.item(), 4), "test loss %.4f acc %.3f" % tuple(sum(t) / len(r) for t in zip(*r)))
# cure: - train = DataLoader(Stream(shards), batch_size=20)
# cure: + train = DataLoader(ShuffledStream(shards), batch_size=20)
