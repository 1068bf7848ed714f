# expect: weight-decay-too-strong
# about: weight_decay=0.5 with SGD pulls the net to the trivial predictor
import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def get_data():
    d = load_digits()
    x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
    p = torch.randperm(len(x))
    return TensorDataset(x[p[:1400]], y[p[:1400]]), TensorDataset(x[p[1400:]], y[p[1400:]])


train_set, val_set = get_data()
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.3)
for epoch in range(12):
    model.train()
    tot = 0
    for xb, yb in DataLoader(train_set, 32, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(xb) / 1400
    model.eval()
    with torch.no_grad():
        xv, yv = val_set.tensors
        o = model(xv)
    print(f"epoch {epoch} train {tot:.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.3)
# cure: + optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
