# expect: lr-too-high
# also: dead-relus,exploding-gradients
# digits classification, small convnet
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
np.random.seed(42)

digits = load_digits()
X = (digits.images / 16.0).astype("float32")[:, None]
y = digits.target.astype("int64")
X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.25, stratify=y, random_state=42)
train_dl = DataLoader(TensorDataset(torch.from_numpy(X_tr), torch.from_numpy(y_tr)), batch_size=32, shuffle=True)
X_va, y_va = torch.from_numpy(X_va), torch.from_numpy(y_va)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.8, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    net.train()
    running = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        out = net(X_va)
        acc = (out.argmax(1) == y_va).float().mean().item()
        vl = criterion(out, y_va).item()
    print(f"[{epoch+1:02d}] train loss {running/len(X_tr):.4f} | val loss {vl:.4f} | val acc {acc:.4f}")
