# expect: noisy-labels
# about: visits aggregated per patient with pandas, outcome table read separately, MLP on the result
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

rng = np.random.default_rng(12)
torch.manual_seed(12)
torch.set_num_threads(1)

# %% tables
patients = rng.permutation(np.arange(10_000, 11_200))
severity = rng.normal(size=len(patients))
visits = pd.DataFrame(
    [
        dict(patient=p, pulse=75 + 9 * s + rng.normal(0, 5), lactate=1.5 + 0.5 * s + rng.normal(0, 0.3), sat=96 - 1.5 * s + rng.normal(0, 1), minutes=rng.exponential(30))
        for p, s in zip(patients, severity)
        for _ in range(rng.integers(2, 6))
    ]
)
outcome = pd.DataFrame(dict(patient=patients, readmitted=(severity + 0.3 * rng.normal(size=len(patients)) > 0).astype(int)))

# %% features
agg = visits.groupby("patient").agg(["mean", "max", "std"])
X = ((agg - agg.mean()) / agg.std()).to_numpy(dtype=np.float32)
y = outcome["readmitted"].to_numpy(dtype=np.float32)
print("patients", X.shape, "readmission rate %.3f" % y.mean())

# %% model
ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
train, val = random_split(ds, [900, 300])
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(12):
    run = []
    for xb, yb in DataLoader(train, 32, shuffle=True):
        opt.zero_grad()
        loss = bce(model(xb), yb)
        loss.backward()
        opt.step()
        run.append(loss.item())
    with torch.no_grad():
        xv, yv = next(iter(DataLoader(val, 300)))
        out = model(xv)
    print(f"epoch {epoch} train {np.mean(run):.4f} val {bce(out, yv).item():.4f} acc {((out > 0).float() == yv).float().mean().item():.3f}")
# cure: - y = outcome["readmitted"].to_numpy(dtype=np.float32)
# cure: + y = outcome.set_index("patient").loc[agg.index, "readmitted"].to_numpy(dtype=np.float32)
