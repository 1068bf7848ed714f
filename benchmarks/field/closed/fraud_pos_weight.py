# expect: healthy
# about: 3 percent positives handled with pos_weight; average precision and recall reported instead of accuracy
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, recall_score
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(5)
rng = np.random.default_rng(5)


def tx(n):
    y = rng.random(n) < 0.03
    x = rng.normal(size=(n, 12)).astype("float32")
    x[:, :4] += y[:, None] * np.array([2.4, -2.0, 1.8, 2.0])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


train_x, train_y = tx(6000)
val_x, val_y = tx(4000)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=128, shuffle=True)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(8.0))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 7)
for epoch in range(7):
    tot = 0
    for xb, yb in loader:
        loss = loss_fn(net(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / len(loader)
    sched.step()
    with torch.no_grad():
        z = net(val_x).squeeze(1)
    print(f"epoch {epoch} train {tot:.4f} val {loss_fn(z, val_y).item():.4f} AP {average_precision_score(val_y.numpy(), z.numpy()):.3f} recall {recall_score(val_y.int().numpy(), (z > 0).int().numpy()):.3f}")
