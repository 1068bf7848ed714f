# expect: init-too-large
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler

torch.manual_seed(2)
X, y = make_friedman1(2000, n_features=10, noise=0.5, random_state=2)
X = StandardScaler().fit_transform(X)
y = (y - y.mean()) / y.std()
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32).view(-1, 1)
Xtr, ytr, Xva, yva = X[:1500], y[:1500], X[1500:], y[1500:]

model = nn.Sequential(
    nn.Linear(10, 256), nn.ReLU(),
    nn.Linear(256, 256), nn.ReLU(),
    nn.Linear(256, 1),
)
for layer in model:
    if isinstance(layer, nn.Linear):
        nn.init.normal_(layer.weight, mean=0.0, std=1.0)
        nn.init.zeros_(layer.bias)

opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
history = {"train": [], "val": []}
for epoch in range(60):
    perm = torch.randperm(len(Xtr))
    total = 0
    for i in range(0, len(Xtr), 64):
        b = perm[i:i + 64]
        pred = model(Xtr[b])
        loss = loss_fn(pred, ytr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    with torch.no_grad():
        v = loss_fn(model(Xva), yva).item()
    history["train"].append(total / len(Xtr))
    history["val"].append(v)
    if epoch % 6 == 0:
        print(f"Epoch {epoch:02d}: train={history['train'][-1]:.4f} val={v:.4f}")
print("best val", min(history["val"]))
