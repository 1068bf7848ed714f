# expect: healthy
# about: tabular regression of yearly heat demand, everything standardised, Adam with cosine, R2 in real units
import numpy as np
import torch
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
torch.set_num_threads(1)
rng = np.random.default_rng(3)

n = 4000
area = rng.uniform(60, 400, n)
floors = rng.integers(1, 5, n)
u_wall = rng.uniform(0.15, 1.6, n)
u_window = rng.uniform(0.8, 3.2, n)
glazing = rng.uniform(0.05, 0.4, n)
degree_days = rng.normal(3200, 400, n)
occupants = rng.poisson(3, n)
envelope = 2 * np.sqrt(area / floors) * 2 * 2.8 * floors
loss_coeff = envelope * ((1 - glazing) * u_wall + glazing * u_window) + 0.3 * area / floors
kwh = 24 * degree_days * loss_coeff / 1000 - 350 * occupants
kwh = kwh + rng.normal(0, 900, n)
X = np.stack([area, floors, u_wall, u_window, glazing, degree_days, occupants], 1)

Xtr, Xte, ytr, yte = train_test_split(X, kwh, test_size=0.2, random_state=0)
sx, sy = StandardScaler().fit(Xtr), StandardScaler().fit(ytr[:, None])


def tens(a):
    return torch.tensor(a, dtype=torch.float32)


train_ds = TensorDataset(tens(sx.transform(Xtr)), tens(sy.transform(ytr[:, None])))
xte, yte_s = tens(sx.transform(Xte)), tens(sy.transform(yte[:, None]))

net = nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
EPOCHS = 40
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
loader = DataLoader(train_ds, batch_size=64, shuffle=True)

for epoch in range(EPOCHS):
    net.train()
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    scheduler.step()
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            val = criterion(net(xte), yte_s).item()
        print(f"epoch {epoch + 1:3d}  train mse {total / len(train_ds):.4f}  val mse {val:.4f}")

net.eval()
with torch.no_grad():
    pred = sy.inverse_transform(net(xte).numpy())[:, 0]
print(f"test R2 {r2_score(yte, pred):.4f}  MAE {mean_absolute_error(yte, pred):.0f} kWh")
