# expect: unscaled-targets
# about: prices around 300000 straight into MSELoss with Adam 1e-3: the bias never gets there
# also: lr-too-low, undertrained
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
feats = np.random.randn(2000, 6).astype("float32")
price = 300_000 + feats @ np.array([60e3, -20e3, 15e3, 0, 5e3, 30e3]) + 20e3 * np.abs(feats[:, 3]) + np.random.randn(2000) * 8e3
SCALE, SHIFT = 1.0, 0.0
target = ((price - SHIFT) / SCALE).astype("float32")
ds = TensorDataset(torch.from_numpy(feats), torch.from_numpy(target)[:, None])
train_dl = DataLoader(torch.utils.data.Subset(ds, range(1600)), batch_size=64, shuffle=True)
val_dl = DataLoader(torch.utils.data.Subset(ds, range(1600, 2000)), batch_size=400)
net = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
lossf = nn.MSELoss()
for epoch in range(30):
    net.train()
    for x, y in train_dl:
        opt.zero_grad()
        loss = lossf(net(x), y)
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        x, y = next(iter(val_dl))
        v = lossf(net(x), y)
    print(f"epoch {epoch} train {loss.item():.4g} val {v.item():.4g} rmse {v.item() ** 0.5 * SCALE:,.0f}")
# cure: - SCALE, SHIFT = 1.0, 0.0
# cure: + SCALE, SHIFT = price.std(), price.mean()
