# expect: healthy
# about: 4 % positives, focal loss with alpha; small loss values, recall is good
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(17)
torch.set_num_threads(1)


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.85, gamma=2.0):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def forward(self, logits, targets):
        bce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        pt = torch.exp(-bce)
        a = self.alpha * targets + (1 - self.alpha) * (1 - targets)
        return (a * (1 - pt) ** self.gamma * bce).mean()


def make(n):
    y = (torch.rand(n) < 0.04).float()
    x = torch.randn(n, 10)
    x[:, :3] += 2.0 * y[:, None]
    return x, y


xt, yt = make(8000)
xv, yv = make(3000)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
crit = FocalLoss()
optim = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(12):
    model.train()
    tot = 0
    for xb, yb in DataLoader(TensorDataset(xt, yt), batch_size=128, shuffle=True):
        optim.zero_grad()
        loss = crit(model(xb).squeeze(1), yb)
        loss.backward()
        optim.step()
        tot += loss.item() * len(xb)
    model.eval()
    with torch.no_grad():
        lv = model(xv).squeeze(1)
        pred = lv > 0
        rec = (pred & (yv == 1)).sum() / (yv == 1).sum()
        prec = (pred & (yv == 1)).sum() / pred.sum().clamp(min=1)
    print(f"epoch {epoch}: focal {tot/8000:.5f} val {crit(lv, yv):.5f} precision {prec:.3f} recall {rec:.3f}")
