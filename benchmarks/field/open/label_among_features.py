# expect: target-leakage
# about: a table's features include a column computed from the outcome (days until readmission, -1 when none)
import numpy as np
import pandas as pd
import torch
from torch import nn

rng = np.random.default_rng(1)
torch.manual_seed(1)
torch.set_num_threads(1)
n = 2000
df = pd.DataFrame({"age": rng.normal(60, 12, n), "stay": rng.exponential(4, n), "lab": rng.normal(0, 1, n), "visits": rng.poisson(2, n)})
score = 0.05 * (df.age - 60) + 0.2 * (df.stay - 4) + 0.6 * df.lab
df["readmitted"] = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)
df["readmit_code"] = df.readmitted * 2 - 1 + 0.0
target = "readmitted"
features = [c for c in df.columns if c != target]
X = torch.tensor(((df[features] - df[features].mean()) / df[features].std()).values, dtype=torch.float32)
y = torch.tensor(df[target].values, dtype=torch.float32)
net = nn.Sequential(nn.Linear(len(features), 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(15):
    for b in torch.randperm(1600).split(32):
        loss = bce(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[1600:]).squeeze(1)
        print(f"epoch {epoch} train {loss.item():.5f} val {bce(o, y[1600:]).item():.5f} acc {((o > 0) == y[1600:].bool()).float().mean():.4f}")
# cure: - features = [c for c in df.columns if c != target]
# cure: + features = [c for c in df.columns if c not in (target, "readmit_code")]
