# expect: healthy
# about: hospital readmission at 4 percent: hardly any patient is predicted positive at 0.5, log loss barely moves, but the ranking is close to what the true risk gives
import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(61)
torch.set_num_threads(1)
rng = np.random.default_rng(61)
n = 30000
X = rng.normal(0, 1, (n, 15)).astype(np.float32)
risk = 0.5 * X[:, 0] + 0.4 * X[:, 1] - 0.3 * X[:, 2] + 0.35 * (X[:, 3] > 0.5) * X[:, 4] + 0.25 * X[:, 5] ** 2
p = 1 / (1 + np.exp(-(1.5 * risk - 4.3)))
y = (rng.random(n) < p).astype(np.float32)
cut = 24000
loader = DataLoader(TensorDataset(torch.tensor(X[:cut]), torch.tensor(y[:cut])), batch_size=256, shuffle=True)
xv, yv = torch.tensor(X[cut:]), torch.tensor(y[cut:])

model = nn.Sequential(nn.Linear(15, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
rate = y[:cut].mean()
model[-1].bias.data.fill_(float(np.log(rate / (1 - rate))))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=8 * len(loader))
bce = nn.BCEWithLogitsLoss()
for epoch in range(8):
    model.train()
    tl = []
    for xb, yb in loader:
        loss = bce(model(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tl.append(loss.item())
    model.eval()
    with torch.no_grad():
        s = model(xv).squeeze(1)
    print(f"epoch {epoch + 1:2d} train {np.mean(tl):.4f} val {bce(s, yv).item():.4f} auc {roc_auc_score(yv, s):.4f} ap {average_precision_score(yv, s):.4f} highest probability {s.sigmoid().max():.3f}")
print(f"base rate {rate:.4f}; true risk: auc {roc_auc_score(yv, p[cut:]):.4f} ap {average_precision_score(yv, p[cut:]):.4f}")
