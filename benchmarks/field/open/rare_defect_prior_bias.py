# expect: healthy
# about: 2 % defects, weighted BCE and the output bias set to the log odds; average precision is the metric
import math

import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(55)


def parts(n):
    y = (torch.rand(n) < 0.02).float()
    x = torch.randn(n, 1, 40).cumsum(2) * 0.15
    pos = torch.randint(4, 36, (n,))
    for i in torch.where(y > 0)[0]:
        x[i, 0, pos[i] - 2:pos[i] + 3] += torch.tensor([0.4, -1.6, 2.4, -1.6, 0.4])
    return x + 0.1 * torch.randn_like(x), y


xt, yt = parts(8000)
xv, yv = parts(4000)
model = nn.Sequential(nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 1))
prior = yt.mean().item()
model[-1].bias.data.fill_(math.log(prior * 5 / (1 - prior)))
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(5.0))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(xt, yt), 128, shuffle=True)
for epoch in range(10):
    run = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = criterion(model(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        run += loss.item()
    with torch.no_grad():
        s = model(xv).squeeze(1)
    recall = ((s > 0) & (yv > 0)).sum() / yv.sum()
    print(f"epoch {epoch + 1}: train {run / len(loader):.4f} val {criterion(s, yv).item():.4f} AP {average_precision_score(yv, s):.3f} recall {recall:.3f}")
