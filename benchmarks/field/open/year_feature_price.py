# expect: unscaled-inputs
# about: car prices from year, mileage in km and engine size, raw columns, targets standardised; SGD explodes
# also: lr-too-high
import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(3)
torch.manual_seed(3)
torch.set_num_threads(1)
n = 1500
year = rng.integers(1995, 2024, n)
km = rng.uniform(0, 250, n)  # thousands
size = rng.choice([1.0, 1.2, 1.4, 1.6, 2.0, 3.0], n)
price = 900 * (year - 1995) - 30 * km + 4000 * size + rng.normal(0, 800, n)
y = (price - price.mean()) / price.std()


def preprocess(cols):
    return np.stack(cols, axis=1).astype("float32")


X = torch.from_numpy(preprocess([year, km, size]))
y = torch.from_numpy(y.astype("float32")).unsqueeze(1)
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
mse = nn.MSELoss()
for epoch in range(20):
    for b in torch.randperm(1200).split(30):
        loss = mse(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, "train", mse(model(X[:1200]), y[:1200]).item(), "val", mse(model(X[1200:]), y[1200:]).item())
# cure: - return np.stack(cols, axis=1).astype("float32")
# cure: + return np.stack([(c - c.mean()) / c.std() for c in cols], axis=1).astype("float32")
