# expect: eval-mode-missing
# about: model.eval() forgotten; dropout of 0.6 spoils validation
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
ds = TensorDataset(torch.tensor(d.data).float() / 16, torch.tensor(d.target))
tr, va = random_split(ds, [1400, 397])
train_loader, val_loader = DataLoader(tr, 32, shuffle=True), DataLoader(va, 100)


class Net(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(64, 128), nn.Linear(128, 128), nn.Linear(128, 10)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        x = self.drop(torch.relu(self.a(x)))
        x = self.drop(torch.relu(self.b(x)))
        return self.c(x)


model = Net(0.6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(15):
    model.train()
    train_loss = 0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() / len(train_loader)
    correct, val_loss = 0, 0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            val_loss += loss_fn(out, y).item() / len(val_loader)
            correct += (out.argmax(1) == y).sum().item()
    print(f"Epoch {epoch} train {train_loss:.4f} val {val_loss:.4f} acc {correct / 397:.4f}")
# cure: - correct, val_loss = 0, 0
# cure: + model.eval()
# cure: + correct, val_loss = 0, 0
