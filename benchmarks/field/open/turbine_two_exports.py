# expect: train-val-mismatch
# about: turbine power regression; last year's export is for training and this year's export for validation, read with pandas
import io

import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)


def measurements(n):
    wind = rng.weibull(2.0, n) * 8
    temp = rng.normal(11, 7, n)
    pitch = rng.uniform(0, 12, n)
    rpm = np.clip(wind * 1.6 + rng.normal(0, 0.4, n), 0, 18)
    power = np.clip(0.4 * wind**3 * (1 - pitch / 30) * (1 - temp / 500), 0, 900) + rng.normal(0, 6, n)
    return dict(wind=wind, temp=temp, pitch=pitch, rpm=rpm, power=power)


# the two files, as the SCADA system writes them
old_system = pd.DataFrame(measurements(2400))[["wind", "temp", "pitch", "rpm", "power"]].to_csv(index=False)
new_system = pd.DataFrame(measurements(600))[["pitch", "rpm", "temp", "wind", "power"]].to_csv(index=False)

train_df = pd.read_csv(io.StringIO(old_system))
val_df = pd.read_csv(io.StringIO(new_system))
features = train_df.columns[:-1]

scaler = StandardScaler().fit(train_df[features].values)
x_tr = torch.tensor(scaler.transform(train_df[features].values), dtype=torch.float32)
x_va = torch.tensor(scaler.transform(val_df.drop(columns="power").values), dtype=torch.float32)
mu, sd = train_df.power.mean(), train_df.power.std()
y_tr = torch.tensor((train_df.power.values - mu) / sd, dtype=torch.float32)[:, None]
y_va = torch.tensor((val_df.power.values - mu) / sd, dtype=torch.float32)[:, None]

net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.SiLU(), torch.nn.Linear(64, 64), torch.nn.SiLU(), torch.nn.Linear(64, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
huber = torch.nn.SmoothL1Loss()
for epoch in range(15):
    tot = 0.0
    for i in torch.randperm(len(x_tr)).split(60):
        loss = huber(net(x_tr[i]), y_tr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(i)
    with torch.no_grad():
        p = net(x_va)
        r2 = 1 - ((p - y_va) ** 2).sum() / ((y_va - y_va.mean()) ** 2).sum()
    print(f"epoch {epoch:2d} train {tot / len(x_tr):.4f} val {huber(p, y_va).item():.4f} val R2 {r2.item():.3f}")
# cure: - x_va = torch.tensor(scaler.transform(val_df.drop(columns="power").values), dtype=torch.float32)
# cure: + x_va = torch.tensor(scaler.transform(val_df[features].values), dtype=torch.float32)
