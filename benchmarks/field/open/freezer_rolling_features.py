# expect: nonfinite-data
# about: freezer temperature alarms from pandas rolling statistics, small MLP, no validation split
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(8)
n = 3000
door = rng.random(n) < 0.04
temp = -18 + pd.Series(door * 6.0).ewm(span=12).mean().to_numpy() * 3 + rng.normal(0, 0.3, n)
df = pd.DataFrame({"temp": temp, "door": door.astype(float)}, index=pd.date_range("2024-01-01", periods=n, freq="5min"))
df["mean_1h"] = df.temp.rolling(12).mean()
df["std_1h"] = df.temp.rolling(12).std()
df["slope"] = df.temp.diff(6)
df["alarm"] = (df.temp.shift(-1).fillna(-18.0) > -16.5).astype(float)

cols = ["temp", "door", "mean_1h", "std_1h", "slope"]
data = df
feats = (data[cols] - data[cols].mean()) / data[cols].std()
ds = TensorDataset(torch.tensor(feats.to_numpy(), dtype=torch.float32), torch.tensor(data["alarm"].to_numpy(), dtype=torch.float32))
loader = DataLoader(ds, batch_size=50, shuffle=True)

model = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
loss_fn = torch.nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(8):
    losses, hits = [], 0
    for xb, yb in loader:
        logits = model(xb).squeeze(1)
        loss = loss_fn(logits, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        hits += ((logits > 0).float() == yb).sum().item()
    print(f"Epoch {epoch + 1}/8 - loss: {np.mean(losses):.4f} - accuracy: {hits / len(ds):.4f} (base rate {1 - data.alarm.mean():.4f})")
# cure: - data = df
# cure: + data = df.dropna()
