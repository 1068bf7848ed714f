# expect: eval-mode-missing
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from sklearn.datasets import load_digits

torch.manual_seed(25)
d = load_digits()
ds = TensorDataset(torch.tensor(d.data / 16, dtype=torch.float32), torch.tensor(d.target))
train_ds, val_ds = random_split(ds, [1400, 397])
train_loader = DataLoader(train_ds, batch_size=64, shuffle=True, drop_last=True)
val_loader = DataLoader(val_ds, batch_size=4)


class MLP(nn.Module):
    def __init__(self, p=0.6):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(p),
            nn.Linear(128, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(p),
            nn.Linear(128, 10))

    def forward(self, x):
        return self.net(x)


def train_one_epoch(model, loader, loss_fn, opt):
    model.train()
    total = 0
    for x, y in loader:
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def validate(model, loader, loss_fn):
    total, correct, n = 0.0, 0, 0
    for x, y in loader:
        if len(y) < 2:
            continue
        out = model(x)
        total += loss_fn(out, y).item() * len(y)
        correct += (out.argmax(1) == y).sum().item()
        n += len(y)
    return total / n, correct / n


model = MLP()
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
best = 0
for epoch in range(1, 31):
    tl = train_one_epoch(model, train_loader, loss_fn, opt)
    vl, acc = validate(model, val_loader, loss_fn)
    best = max(best, acc)
    if epoch % 3 == 0:
        print(f"Epoch {epoch}: train loss={tl:.4f}, val loss={vl:.4f}, val acc={acc:.4f}")
print("best validation accuracy:", round(best, 4))
