# expect: broadcast-loss
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(10)
torch.manual_seed(10)

n = 2500
df = pd.DataFrame({
    "area": np.random.gamma(6, 18, n),
    "rooms": np.random.randint(1, 7, n),
    "age": np.random.randint(0, 90, n),
    "dist": np.random.exponential(6, n),
    "garden": np.random.binomial(1, 0.4, n),
})
df["price"] = (1.8 * df.area + 12 * df.rooms - 0.5 * df.age + 35 * df.garden - 6 * np.sqrt(df.dist) * np.sqrt(df.rooms)
               + np.random.normal(0, 8, n))

feats = ["area", "rooms", "age", "dist", "garden"]
train, test = df.iloc[:2000], df.iloc[2000:]
mu, sd = train.mean(), train.std()
train_n, test_n = (train - mu) / sd, (test - mu) / sd

x_train = torch.tensor(train_n[feats].values, dtype=torch.float32)
y_train = torch.tensor(train_n["price"].values, dtype=torch.float32)
x_test = torch.tensor(test_n[feats].values, dtype=torch.float32)

net = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.MSELoss()
optim = torch.optim.Adam(net.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)

import warnings
warnings.simplefilter("ignore")

for epoch in range(1, 31):
    s = 0.0
    for xb, yb in loader:
        pred = net(xb)
        loss = loss_fn(pred, yb)
        optim.zero_grad()
        loss.backward()
        optim.step()
        s += loss.item()
    if epoch % 5 == 0:
        print(f"epoch {epoch}, train loss {s / len(loader):.4f}")

with torch.no_grad():
    out = net(x_test).numpy().ravel() * sd.price + mu.price
mae = np.abs(out - test.price.values).mean()
print("MAE (k$):", round(float(mae), 2))
