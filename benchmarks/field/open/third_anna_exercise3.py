# expect: symmetric-init
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import load_digits

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 16.0, dtype=torch.float32)
y = torch.tensor(y)
perm = torch.randperm(len(X))
X, y = X[perm], y[perm]
train = DataLoader(TensorDataset(X[:1300], y[:1300]), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
for layer in model:
    if isinstance(layer, nn.Linear):
        nn.init.constant_(layer.weight, 0.05)
        nn.init.zeros_(layer.bias)

opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(20):
    for xb, yb in train:
        opt.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (model(X[1300:]).argmax(1) == y[1300:]).float().mean().item()
    print("epoch", epoch, "loss", round(loss.item(), 4), "acc", round(acc, 4))
