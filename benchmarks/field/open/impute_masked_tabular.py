# expect: healthy
# about: a table with 15 % missing cells: NaN replaced by the column mean plus a mask, denoising network fills them in
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(13)
np.random.seed(13)
X = load_breast_cancer().data.astype(np.float32)
X = (X - X.mean(0)) / X.std(0)
gaps = np.random.rand(*X.shape) < 0.15
dirty = X.copy()
dirty[gaps] = np.nan
table = torch.tensor(np.nan_to_num(dirty, nan=0.0))
known = torch.tensor(~gaps).float()
full = torch.tensor(X)

model = nn.Sequential(nn.Linear(60, 128), nn.LeakyReLU(), nn.Linear(128, 64), nn.LeakyReLU(), nn.Linear(64, 30))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 60)
for epoch in range(60):
    total = 0.0
    for b in torch.randperm(len(table)).split(48):
        x, m = table[b], known[b]
        hide = (torch.rand_like(m) < 0.2).float() * m
        visible = m - hide
        pred = model(torch.cat([x * visible, visible], 1))
        loss = ((pred - x) ** 2 * m).sum() / m.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    sched.step()
    if epoch % 6 == 5:
        with torch.no_grad():
            fill = model(torch.cat([table, known], 1))
            rmse = ((fill - full)[torch.tensor(gaps)] ** 2).mean().sqrt().item()
        base = (full[torch.tensor(gaps)] ** 2).mean().sqrt().item()
        print(f"epoch {epoch + 1} loss {total / 12:.4f} RMSE on the gaps {rmse:.4f} (column mean {base:.4f})")
