# expect: wrong-loss
# also: softmax-wrong-axis
# about: binary churn model with one squeezed output and float labels in CrossEntropyLoss; the loss is near a hundred and the probabilities are off
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
rng = np.random.default_rng(1)
torch.manual_seed(1)
n = 2400
df = pd.DataFrame({
    "tenure": rng.gamma(2, 15, n), "monthly": rng.normal(65, 20, n), "calls": rng.poisson(1.5, n), "contract": rng.integers(0, 2, n),
})
p = 1 / (1 + np.exp(-(0.05 * (df.monthly - 65) - 0.07 * (df.tenure - 30) + 1.1 * df.calls - 2.5 * df.contract - 2.2)))
df["churn"] = (rng.random(n) < p).astype(int)
feat = df.drop(columns="churn")
feat = (feat - feat.mean()) / feat.std()
X, y = torch.tensor(feat.values, dtype=torch.float32), torch.tensor(df.churn.values, dtype=torch.float32)
loader = DataLoader(TensorDataset(X[:2000], y[:2000]), batch_size=64, shuffle=True)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(15):
    for xb, yb in loader:
        out = net(xb).squeeze()
        loss = criterion(out, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        logit = net(X[2000:]).squeeze()
        prob = torch.sigmoid(logit)
        acc = ((prob > 0.5).float() == y[2000:]).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.3f} | test acc {acc:.3f} | mean predicted churn {prob.mean().item():.3f} (actual {y[2000:].mean().item():.3f})")
# cure: - criterion = nn.CrossEntropyLoss()
# cure: + criterion = nn.BCEWithLogitsLoss()
