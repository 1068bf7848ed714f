# expect: healthy
# about: loan defaults, one in twenty positive, weak and noisy predictors; AUC ends near what the true risk itself reaches
import numpy as np
import torch
from sklearn.metrics import log_loss, roc_auc_score
from torch import nn

torch.set_num_threads(1)
rng = np.random.RandomState(77)
torch.manual_seed(77)
N = 40000
income = rng.lognormal(10.4, 0.5, N)
debt = rng.gamma(2.0, 0.16, N)
delinq = rng.poisson(0.25, N)
util = rng.beta(1.4, 2.2, N)
tenure = rng.exponential(5, N)
noise_cols = rng.randn(N, 4)
risk = -3.7 + 1.3 * debt + 0.8 * np.minimum(delinq, 3) + 1.1 * (util > 0.8) + 0.5 * util - 0.25 * (np.log(income) - 10.4) - 0.05 * tenure
p = 1 / (1 + np.exp(-risk))
y = (rng.rand(N) < p).astype(np.float32)
raw = np.column_stack([np.log(income), debt, delinq, util, np.log1p(tenure), noise_cols])
tr, va, te = slice(0, 30000), slice(30000, 35000), slice(35000, N)
X = torch.tensor((raw - raw[tr].mean(0)) / raw[tr].std(0), dtype=torch.float32)
Y = torch.tensor(y)


class Scorecard(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(9, 1)
        self.deep = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 1))
        base = Y[tr].mean()
        with torch.no_grad():
            self.linear.bias.fill_(torch.log(base / (1 - base)).item())

    def forward(self, x):
        return (self.linear(x) + self.deep(x)).squeeze(-1)


net = Scorecard()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.75)
bce = nn.BCEWithLogitsLoss()
print("share of defaults", round(float(y.mean()), 4))
for epoch in range(10):
    losses = []
    for b in torch.randperm(30000).split(256):
        loss = bce(net(X[tr][b]), Y[tr][b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()
    with torch.no_grad():
        s = torch.sigmoid(net(X[va])).numpy()
    print(f"epoch {epoch} logloss {np.mean(losses):.4f} val {log_loss(y[va], s):.4f} AUC {roc_auc_score(y[va], s):.4f}")
with torch.no_grad():
    s = torch.sigmoid(net(X[te])).numpy()
print(f"test AUC {roc_auc_score(y[te], s):.4f} (true risk {roc_auc_score(y[te], p[te]):.4f}), logloss {log_loss(y[te], s):.4f} (true risk {log_loss(y[te], p[te]):.4f}), average score {s.mean():.4f} vs rate {y[te].mean():.4f}")
