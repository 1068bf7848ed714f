# expect: train-mode-missing
# %%
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images).float()[:, None] / 16; y = torch.tensor(d.target)
p = torch.randperm(len(x)); x, y = x[p], y[p]
train = DataLoader(TensorDataset(x[:600], y[:600]), 32, shuffle=True, drop_last=True)
test = DataLoader(TensorDataset(x[600:], y[600:]), 200)

# %%
def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.Dropout2d(.02))
model = nn.Sequential(block(1, 16), block(16, 32), nn.MaxPool2d(2), *[block(32, 32) for _ in range(8)], nn.Flatten(), nn.Dropout(.2), nn.Linear(512, 10))
opt = torch.optim.SGD(model.parameters(), lr=.03, momentum=.9)

# %%
def evaluate(model):
    model.eval()
    with torch.no_grad():
        r = [(F.cross_entropy(model(a), b, reduction="sum").item(), (model(a).argmax(1) == b).sum().item()) for a, b in test]
    return sum(v[0] for v in r) / 1197, sum(v[1] for v in r) / 1197

print("start", evaluate(model))
# %%
for epoch in range(14):
    tot = 0
    for a, b in train:
        opt.zero_grad()
        loss = F.cross_entropy(model(a), b)
        loss.backward()
        opt.step()
        tot += loss.item()
    print(epoch, tot / len(train), *evaluate(model))
