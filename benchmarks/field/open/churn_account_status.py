# expect: target-leakage
# about: churn table with a "final invoice" flag written when the customer left; Lightning-free engine, pandas frame
import numpy as np
import pandas as pd
import torch
from torch import nn

rng = np.random.default_rng(8)
torch.manual_seed(8)
torch.set_num_threads(1)
n = 2400
df = pd.DataFrame({"tenure": rng.gamma(2, 12, n), "calls": rng.poisson(2, n), "fee": rng.normal(40, 12, n)})
risk = -0.05 * df.tenure + 0.5 * df.calls + 0.03 * (df.fee - 40)
df["churn"] = (risk + rng.logistic(0, 1, n) > 0.5).astype(int)
df["final_invoice"] = df.churn * rng.integers(20, 90, n)
columns = ["tenure", "calls", "fee", "final_invoice"]
Z = df[columns]
Z = torch.tensor(((Z - Z.mean()) / Z.std()).to_numpy(), dtype=torch.float32)
Y = torch.tensor(df.churn.to_numpy(), dtype=torch.float32)


class Engine:
    def __init__(self, net, lr):
        self.net, self.opt = net, torch.optim.AdamW(net.parameters(), lr=lr)

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(self.net(x)[:, 0], y)
        loss.backward()
        self.opt.step()
        return loss.item()


engine = Engine(nn.Sequential(nn.Linear(len(columns), 24), nn.GELU(), nn.Linear(24, 1)), 3e-3)
for epoch in range(12):
    losses = [engine.step(Z[b], Y[b]) for b in torch.randperm(2000).split(50)]
    with torch.no_grad():
        lo = engine.net(Z[2000:])[:, 0]
        vl = nn.functional.binary_cross_entropy_with_logits(lo, Y[2000:]).item()
    print(f"epoch {epoch}: train {np.mean(losses):.4f} val {vl:.4f} acc {((lo > 0) == (Y[2000:] > 0.5)).float().mean():.4f}")
if "final_invoice" in columns:
    today = Z[2000:].clone()
    today[:, 3] = Z[:, 3].min()
    with torch.no_grad():
        print("accuracy on customers of today:", ((engine.net(today)[:, 0] > 0) == (Y[2000:] > 0.5)).float().mean().item())
# cure: - columns = ["tenure", "calls", "fee", "final_invoice"]
# cure: + columns = ["tenure", "calls", "fee"]
