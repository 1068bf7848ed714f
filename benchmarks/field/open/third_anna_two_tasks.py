# expect: healthy
import os
import tempfile
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.linear_model import LogisticRegression

torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16.0
y = torch.tensor(d.target)
Xa, Xb = X[y < 5], X[y >= 5]
ya, yb = y[y < 5], y[y >= 5] - 5


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten())


# first task: digits 0-4
net = nn.Sequential(make_backbone(), nn.Linear(768, 5))
opt = optim.Adam(net.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(6):
    for xb, yb_ in DataLoader(TensorDataset(Xa, ya), batch_size=32, shuffle=True):
        opt.zero_grad()
        loss = crit(net(xb), yb_)
        loss.backward()
        opt.step()
    print("first task epoch", epoch, "loss", loss.item())
path = os.path.join(tempfile.mkdtemp(), "backbone.pt")
torch.save(net[0].state_dict(), path)

# second task: digits 5-9
x_tr, x_te, y_tr, y_te = train_test_split(Xb, yb, test_size=0.3, random_state=1, stratify=yb)
backbone = make_backbone()
backbone.load_state_dict(torch.load(path))
for p in backbone.parameters():
    p.requires_grad = False
head = nn.Linear(768, 5)
model = nn.Sequential(backbone, head)
opt = optim.Adam(head.parameters(), lr=3e-3)
loader = DataLoader(TensorDataset(x_tr, y_tr), batch_size=16, shuffle=True)
for epoch in range(40):
    model.train()
    total = 0
    for xb, yy in loader:
        opt.zero_grad()
        loss = crit(model(xb), yy)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    model.eval()
    with torch.no_grad():
        acc = (model(x_te).argmax(1) == y_te).float().mean().item()
    print(f"epoch {epoch}: train loss {total / len(x_tr):.4f} test acc {acc:.4f}")
lr = LogisticRegression(max_iter=2000).fit(x_tr.flatten(1), y_tr)
print("final test acc", acc, "logreg on pixels", lr.score(x_te.flatten(1), y_te))
