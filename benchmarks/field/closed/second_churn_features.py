# expect: target-leakage
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score

torch.manual_seed(60)
rng = np.random.default_rng(60)

# customers, monthly snapshot
n = 5000
tenure = rng.exponential(24, n)
calls = rng.poisson(2, n)
bill = rng.normal(60, 20, n)
age = rng.integers(18, 80, n)
logit = -0.9 - 0.04 * tenure + 0.45 * calls + 0.012 * (bill - 60)
churn = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
# retention team opens a ticket once a customer has cancelled
ticket = np.where(churn == 1, rng.poisson(4, n) + 1, rng.poisson(0.05, n))
df = pd.DataFrame(dict(tenure=tenure, calls=calls, bill=bill, age=age, retention_tickets=ticket, churn=churn))

# live data: scored before anybody could have cancelled, so there are no tickets yet
live = df.iloc[4000:].copy()
live["retention_tickets"] = 0
train, val = df.iloc[:3200], df.iloc[3200:4000]

features = ["tenure", "calls", "bill", "age", "retention_tickets"]
mu, sd = train[features].mean(), train[features].std()


def tensors(frame):
    x = ((frame[features] - mu) / sd).to_numpy("float32").copy()
    return torch.tensor(x), torch.tensor(frame["churn"].to_numpy("float32").copy())


Xt, yt = tensors(train)
Xv, yv = tensors(val)
Xl, yl = tensors(live)
net = nn.Sequential(nn.Linear(len(features), 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(30):
    for idx in torch.randperm(len(Xt)).split(64):
        loss = bce(net(Xt[idx]).squeeze(1), yt[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            v = net(Xv).squeeze(1)
        print(f"epoch {epoch+1} val loss {bce(v, yv):.4f} val AUC {roc_auc_score(yv, v):.4f}")
with torch.no_grad():
    s = net(Xl).squeeze(1)
print(f"live month: loss {bce(s, yl):.4f} AUC {roc_auc_score(yl, s):.4f}")
