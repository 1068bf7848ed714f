# expect: train-mode-missing
# also: vanishing-gradients
"""CNN with batch norm; sanity check of the untrained model, then training."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(70)
d = load_digits()
X = torch.tensor(d.images[:, None] / 16.0, dtype=torch.float32)
y = torch.tensor(d.target)
p = torch.randperm(len(X))
train_dl = DataLoader(TensorDataset(X[p[:1400]], y[p[:1400]]), batch_size=50, shuffle=True)
val_dl = DataLoader(TensorDataset(X[p[1400:]], y[p[1400:]]), batch_size=100)


def conv(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, stride=stride, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 16), conv(16, 16), conv(16, 16), conv(16, 32, 2), conv(32, 32), conv(32, 32, 2))
        self.fc = nn.Linear(32 * 4, 10)

    def forward(self, x):
        return self.fc(self.body(x).flatten(1))


class Runner:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    def evaluate(self):
        self.model.eval()
        loss = hit = n = 0
        with torch.no_grad():
            for x, t in val_dl:
                o = self.model(x)
                loss += F.cross_entropy(o, t, reduction="sum").item()
                hit += (o.argmax(1) == t).sum().item()
                n += len(t)
        return loss / n, hit / n

    def train_epoch(self):
        total = 0
        for x, t in train_dl:
            self.opt.zero_grad()
            loss = F.cross_entropy(self.model(x), t)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(train_dl)

    def run(self, epochs):
        print("before training: loss %.3f acc %.3f" % self.evaluate())
        for ep in range(epochs):
            tl = self.train_epoch()
            print("epoch %d train %.3f val %.3f acc %.3f" % (ep, tl, *self.evaluate()))


Runner(Net()).run(8)
