# expect: batchnorm-tiny-batch
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(18)
BATCH_SIZE = 2  # memory of the laptop GPU

d = load_digits()
X = torch.tensor(d.images[:, None] / 16.0, dtype=torch.float32)
# every scan has its own brightness and contrast
X = X * (0.5 + torch.rand(len(X), 1, 1, 1)) + 0.3 * torch.randn(len(X), 1, 1, 1)
y = torch.tensor(d.target)
perm = torch.randperm(len(X))
X, y = X[perm][:1000], y[perm][:1000]
train = DataLoader(TensorDataset(X[:700], y[:700]), batch_size=BATCH_SIZE, shuffle=True, drop_last=True)
Xv, yv = X[700:], y[700:]


class ConvBN(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.Conv2d(i, o, 3, padding=1, stride=2, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(ConvBN(1, 16), ConvBN(16, 32), ConvBN(32, 64))
        self.fc = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.fc(self.body(x).flatten(1))


model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(8):
    model.train()
    total = 0.0
    for xb, yb in train:
        opt.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        o = model(Xv)
    print(f"epoch {epoch}: train {total/len(train):.4f} val {F.cross_entropy(o, yv):.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
