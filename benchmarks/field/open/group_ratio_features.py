# expect: nonfinite-data
# about: ratio feature divides by a count that is zero for new customers; Inf enters the first layer
import numpy as np
import pandas as pd
import torch

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)
n = 1800
orders = rng.poisson(4, n)
spend = orders * rng.gamma(2, 15, n) + rng.normal(0, 1, n)
visits = rng.poisson(12, n) + 1
df = pd.DataFrame({"orders": orders, "spend": spend, "visits": visits})
divisor = df.orders
df["basket"] = df.spend / divisor
df["rate"] = df.orders / df.visits
label = ((df.rate > 0.3) ^ (df.spend > 120)).astype("float32").to_numpy()
feats = df.to_numpy(dtype="float32")
median, spread = np.median(feats, 0), np.percentile(feats, 75, axis=0) - np.percentile(feats, 25, axis=0)
feats = torch.from_numpy((feats - median) / spread)
label = torch.from_numpy(label)
model = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(20):
    for b in torch.randperm(1400).split(28):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(feats[b])[:, 0], label[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = model(feats[1400:])[:, 0]
    print(f"epoch {epoch} loss {loss.item():.4f} acc {((o > 0) == (label[1400:] > 0.5)).float().mean():.3f}")
# cure: - divisor = df.orders
# cure: + divisor = df.orders.clip(lower=1)
