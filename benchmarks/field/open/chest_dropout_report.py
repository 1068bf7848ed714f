# expect: eval-mode-missing
# about: lesion classifier with dropout and batch norm; validation function as copied between notebooks
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(75)
torch.set_num_threads(1)
proto = torch.randn(4, 1, 10, 10)


def images(n):
    y = torch.randint(0, 4, (n,))
    return 0.35 * proto[y] + torch.randn(n, 1, 10, 10), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.c = nn.Sequential(nn.Dropout(0.5), nn.Linear(400, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 4))

    def forward(self, x):
        return self.c(self.f(x))


def validate(model, loader, criterion):
    model.eval
    loss, correct, total = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += criterion(out, y).item() * len(y)
            correct += (out.argmax(1) == y).sum().item()
            total += len(y)
    return loss / total, correct / total


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train_loader = DataLoader(TensorDataset(*images(1600)), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(*images(400)), batch_size=4)
for epoch in range(8):
    model.train()
    running = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item()
    vl, va = validate(model, val_loader, criterion)
    print(f"Epoch {epoch + 1} train loss {running / len(train_loader):.4f} val loss {vl:.4f} val acc {va:.4f}")
# cure: - model.eval
# cure: + model.eval()
