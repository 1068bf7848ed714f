# expect: slow-data-loading
# about: every __getitem__ does the same expensive parsing again, in the training process
import json
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
lines = [json.dumps({"image": [float(v) for v in row], "history": [float(v) * 1.000001 for v in row] * 12, "label": int(t)}) for row, t in zip(d.data, d.target)]


class JsonLines(Dataset):
    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        record = json.loads(self.lines[i])
        return torch.tensor(record["image"]) / 16, record["label"]


class Cached(JsonLines):
    def __init__(self, lines):
        self.lines = lines
        self.items = [super(Cached, self).__getitem__(i) for i in range(len(lines))]

    def __getitem__(self, i):
        return self.items[i]


source = JsonLines
train, val = DataLoader(source(lines[:1400]), 64, shuffle=True), DataLoader(source(lines[1400:]), 200)
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(12):
    net.train()
    for x, y in train:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        r = [(nn.functional.cross_entropy(net(x), y).item(), (net(x).argmax(1) == y).float().mean().item()) for x, y in val]
    print("epoch", epoch, "loss %.4f" % loss.item(), "val %.4f acc %.3f" % tuple(sum(t) / len(r) for t in zip(*r)))
# cure: - source = JsonLines
# cure: + source = Cached
