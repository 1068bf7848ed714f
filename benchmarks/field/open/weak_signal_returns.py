# expect: healthy
# about: daily-return-like regression: R2 of two per cent is all there is, the loss looks flat, the model finds it
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(404)
n = 20000
X = torch.randn(n, 8)
signal = 0.12 * torch.tanh(X[:, 0]) + 0.1 * X[:, 1] - 0.08 * X[:, 2]
y = signal + torch.randn(n)
tr, va = TensorDataset(X[:16000], y[:16000]), (X[16000:], y[16000:])
model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
for epoch in range(8):
    model.train()
    s = 0.0
    for xb, yb in DataLoader(tr, 256, shuffle=True):
        loss = nn.functional.mse_loss(model(xb).squeeze(-1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(xb)
    sched.step()
    model.eval()
    with torch.no_grad():
        p = model(va[0]).squeeze(-1)
    r2 = 1 - ((p - va[1]) ** 2).mean() / va[1].var()
    print(f"epoch {epoch} train mse {s / 16000:.4f} val mse {((p - va[1]) ** 2).mean():.4f} val R2 {r2:.4f}")
best = 1 - ((signal[16000:] - va[1]) ** 2).mean() / va[1].var()
print(f"R2 of the true signal {best:.4f}; correlation with it {torch.corrcoef(torch.stack([p, signal[16000:]]))[0, 1]:.3f}")
