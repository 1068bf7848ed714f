"""House prices from generated attributes on very different scales; predicts in standardised units, reports in money."""

import numpy as np
import torch
from torch import nn

SEED = 0


def houses(n, rng):
    area = rng.normal(120, 35, n).clip(30, 300)
    rooms = np.round(area / 28 + rng.normal(0, 0.7, n)).clip(1, 10)
    age = rng.uniform(0, 90, n)
    distance = rng.exponential(9, n)
    income = rng.lognormal(10.4, 0.35, n)
    garden = rng.integers(0, 2, n)
    price = 1500 * area + 9000 * rooms - 900 * age + 0.012 * (age - 40) ** 3 + 2.2 * income
    price = price * np.exp(-distance / 60) + garden * 25000 + 12000 * np.sin(area / 15) + rng.normal(0, 9000, n)
    return np.stack([area, rooms, age, distance, income, garden], 1), price


class RelativeHuber(nn.Module):
    def __init__(self, delta=1.5):
        super().__init__()
        self.delta = delta

    def forward(self, predicted, wanted):
        error = (predicted - wanted).abs()
        quadratic = error.clamp(max=self.delta)
        return (0.5 * quadratic**2 + self.delta * (error - quadratic)).mean()


class PriceModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 1)

    def forward(self, features):
        return self.head(self.body(features))


torch.set_num_threads(1)
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)
features, prices = houses(2500, rng)
train_rows, val_rows = slice(0, 2000), slice(2000, 2500)
x_mean, x_std = features[train_rows].mean(0), features[train_rows].std(0)
y_mean, y_std = prices[train_rows].mean(), prices[train_rows].std()
features = (features - x_mean) / x_std
targets = (prices - y_mean) / y_std
x_train = torch.as_tensor(features[train_rows], dtype=torch.float32)
x_val = torch.as_tensor(features[val_rows], dtype=torch.float32)
t_train = torch.as_tensor(targets[train_rows], dtype=torch.float32).reshape(-1, 1)
t_val = torch.as_tensor(targets[val_rows], dtype=torch.float32).reshape(-1, 1)

model = PriceModel()
loss_fn = RelativeHuber()
opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=2)
for epoch in range(24):
    model.train()
    total, batches = 0.0, 0
    for rows in torch.randperm(len(x_train)).split(40):
        opt.zero_grad()
        predicted = model(x_train[rows])
        loss = loss_fn(predicted, t_train[rows])
        loss.backward()
        opt.step()
        total, batches = total + loss.item(), batches + 1
    train_loss = total / batches
    model.eval()
    with torch.no_grad():
        predicted = model(x_val)
        val_loss = loss_fn(predicted, t_val).item()
        mae = (predicted - t_val).abs().mean().item() * y_std
        r2 = 1 - ((predicted - t_val) ** 2).mean().item() / t_val.var().item()
    plateau.step(val_loss)
    print(f"epoch {epoch:02d} | train {train_loss:.5f} | val {val_loss:.5f} | mae {mae:,.0f}")

print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={r2:.4f}")
