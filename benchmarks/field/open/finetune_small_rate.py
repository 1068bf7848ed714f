# expect: healthy
# about: fine-tuning an already good network at 2e-5: updates are tiny on purpose and the loss starts low
import copy

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(37)
d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = torch.tensor(d.target)
p = torch.randperm(len(X))
old, new, test = p[:900], p[900:1450], p[1450:]


def cnn():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))


@torch.no_grad()
def score(m):
    out = m(X[test])
    return nn.functional.cross_entropy(out, y[test]).item(), (out.argmax(1) == y[test]).float().mean().item()


def train(m, idx, lr, epochs):
    opt = torch.optim.Adam(m.parameters(), lr=lr)
    dl = DataLoader(TensorDataset(X[idx], y[idx]), 32, shuffle=True)
    for e in range(epochs):
        tot = 0.0
        for xb, yb in dl:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(m(xb), yb)
            loss.backward()
            opt.step()
            tot += loss.item()
        print(f"lr {lr:g} epoch {e} train {tot / len(dl):.4f} test loss %.4f acc %.4f" % score(m))


model = cnn()
train(model, old, 2e-3, 15)
torch.save(model.state_dict(), "base.pt")
model = cnn()
model.load_state_dict(torch.load("base.pt"))
train(model, torch.cat([old, new]), 2e-5, 8)
