# expect: batch-too-large
# also: undertrained, lr-too-low
# about: the loader was given batch_size=len(dataset) "because it fits in memory": 40 updates in 40 epochs
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32) / 16, torch.tensor(y)
train_set = TensorDataset(X[:1437], y[:1437])
batch_size = len(train_set)
loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(40):
    for xb, yb in loader:
        opt.zero_grad()
        loss = ce(model(xb), yb)
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            o = model(X[1437:])
            print(f"epoch {epoch + 1} loss {loss.item():.4f} val {ce(o, y[1437:]).item():.4f} acc {(o.argmax(1) == y[1437:]).float().mean().item():.3f}")
# cure: - batch_size = len(train_set)
# cure: + batch_size = 32
