# expect: overfitting
# about: diabetes regression on 120 rows with a very wide MLP and no regularisation, trained for 150 epochs
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

torch.set_num_threads(1)
torch.manual_seed(6)
X, y = load_diabetes(return_X_y=True)
sx, sy = StandardScaler().fit(X[:120]), StandardScaler().fit(y[:120, None])
X = torch.tensor(sx.transform(X), dtype=torch.float32)
y = torch.tensor(sy.transform(y[:, None]), dtype=torch.float32)
train_x, train_y, val_x, val_y = X[:120], y[:120], X[120:], y[120:]
epochs, width, decay = 150, 256, 0.0
model = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=decay)
mse = nn.MSELoss()
for epoch in range(epochs):
    for b in torch.randperm(120).split(24):
        loss = mse(model(train_x[b]), train_y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 10 == 9 or epoch in (1, 3, 5):
        with torch.no_grad():
            print(f"epoch {epoch + 1:3d} train {mse(model(train_x), train_y).item():.4f} val {mse(model(val_x), val_y).item():.4f}")
# cure: - epochs, width, decay = 150, 256, 0.0
# cure: + epochs, width, decay = 12, 32, 0.1
