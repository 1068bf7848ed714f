# expect: nonfinite-data
# about: product demand growth features computed with pct_change; weeks without sales divide by zero
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(4)
torch.manual_seed(4)
frames = []
for product in range(12):
    level = rng.gamma(3, 3)
    season = level * (1 + 0.6 * np.sin(np.arange(160) / 160 * 2 * np.pi * 3 + product))
    frames.append(pd.DataFrame({"product": product, "week": np.arange(160), "units": rng.poisson(season)}))
df = pd.concat(frames, ignore_index=True)
df["units"] = df.units.astype(float)
grp = df.groupby("product").units
df["growth"] = grp.pct_change()
df["lag1"], df["lag2"], df["lag4"] = np.log1p(grp.shift(1)), np.log1p(grp.shift(2)), np.log1p(grp.shift(4))
df["growth"] = df.groupby("product").growth.shift(1)
df = df.fillna(0.0)
df["target"] = np.log1p(df.units)
df = df[df.week >= 5]
cols = ["growth", "lag1", "lag2", "lag4"]
train, test = df[df.week < 130], df[df.week >= 130]
X, y = torch.tensor(train[cols].values, dtype=torch.float32), torch.tensor(train.target.values, dtype=torch.float32)
Xt, yt = torch.tensor(test[cols].values, dtype=torch.float32), torch.tensor(test.target.values, dtype=torch.float32)

net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(15):
    for b in torch.randperm(len(X)).split(64):
        loss = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, "train", round(loss.item(), 4), "test", round(nn.functional.mse_loss(net(Xt).squeeze(1), yt).item(), 4), "var", round(yt.var().item(), 4))
# cure: - df = df.fillna(0.0)
# cure: + df = df.replace([np.inf, -np.inf], np.nan).fillna(0.0)
# cure: + df["growth"] = df.growth.clip(-1, 3)
