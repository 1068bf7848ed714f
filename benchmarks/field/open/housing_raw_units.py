# expect: healthy
# about: house prices in euros by log-free regression: targets divided by 1e5 inside the model's wrapper, loss reported in raw units is huge
import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)
n = 2500
area = rng.uniform(30, 200, n)
rooms = np.round(area / 25 + rng.normal(0, 0.7, n)).clip(1)
age = rng.uniform(0, 100, n)
dist = rng.exponential(5, n)
price = 3000 * area - 900 * age - 8000 * dist + 15000 * np.sqrt(rooms) + rng.normal(0, 15000, n) + 60000
X = np.stack([area, rooms, age, dist], 1)
X = (X - X.mean(0)) / X.std(0)
Xt, Xv = torch.tensor(X[:2000]).float(), torch.tensor(X[2000:]).float()
yt, yv = torch.tensor(price[:2000]).float(), torch.tensor(price[2000:]).float()


class PriceModel(nn.Module):
    """Predicts in euros; works in standard units inside."""

    def __init__(self, mean, std):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)

    def forward(self, x):
        return self.net(x).squeeze(1) * self.std + self.mean


model = PriceModel(yt.mean(), yt.std())
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(30):
    for b in torch.randperm(2000).split(50):
        loss = nn.functional.mse_loss(model(Xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            rm = lambda p, q: nn.functional.mse_loss(p, q).sqrt().item()
            print(f"epoch {epoch + 1:3d} mse {loss.item():.3e} rmse train {rm(model(Xt), yt):,.0f} val {rm(model(Xv), yv):,.0f} EUR")
