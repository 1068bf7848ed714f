# expect: nonfinite-data
# about: a table with missing values read by pandas and never imputed; NaN first appears in some batch
import io
import numpy as np
import pandas as pd
import torch
from torch import nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)
n = 1200
frame = pd.DataFrame({"age": rng.uniform(20, 80, n), "bmi": rng.normal(26, 4, n), "bp": rng.normal(120, 15, n), "glucose": rng.normal(100, 20, n)})
frame["risk"] = ((frame.age - 50) / 30 + (frame.bmi - 26) / 8 + (frame.glucose - 100) / 20 + rng.normal(0, 0.3, n) > 0).astype(int)
frame.loc[rng.choice(900, 4, replace=False), "glucose"] = np.nan
csv = frame.to_csv(index=False)

df = pd.read_csv(io.StringIO(csv))
cols = ["age", "bmi", "bp", "glucose"]
df[cols] = (df[cols] - df[cols].mean()) / df[cols].std()
X = torch.tensor(df[cols].values, dtype=torch.float32)
y = torch.tensor(df["risk"].values, dtype=torch.float32)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(15):
    for b in torch.randperm(1000).split(25):
        loss = bce(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch}: loss {loss.item():.4f} val {bce(net(X[1000:]).squeeze(1), y[1000:]).item():.4f}")
# cure: - df[cols] = (df[cols] - df[cols].mean()) / df[cols].std()
# cure: + df[cols] = ((df[cols] - df[cols].mean()) / df[cols].std()).fillna(0.0)
