# expect: healthy
# %% imports
import numpy as np
import torch
import torch.nn as nn
from sklearn.linear_model import Ridge

np.random.seed(2)
torch.manual_seed(2)

# %% data: daily + weekly seasonality with AR noise
n = 3000
t = np.arange(n)
noise = np.zeros(n)
for i in range(1, n):
    noise[i] = 0.6 * noise[i - 1] + 0.3 * np.random.randn()
series = 10 + 2 * np.sin(2 * np.pi * t / 24) + 1.0 * np.sin(2 * np.pi * t / 168) + noise
mean, std = series[:2400].mean(), series[:2400].std()
z = ((series - mean) / std).astype("float32")

W = 48
win = np.stack([z[i:i + W] for i in range(n - W)])
nxt = z[W:]
split = 2400 - W
Xtr, ytr = torch.tensor(win[:split]), torch.tensor(nxt[:split])
Xte, yte = torch.tensor(win[split:]), torch.tensor(nxt[split:])

# %% model
class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        o, _ = self.lstm(x.unsqueeze(-1))
        return x[:, -1] + self.head(o[:, -1]).squeeze(-1)

model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 10, 0.5)
huber = nn.SmoothL1Loss()

# %% train
for epoch in range(30):
    perm = torch.randperm(len(Xtr))
    ep = 0
    for b in perm.split(64):
        opt.zero_grad()
        l = huber(model(Xtr[b]), ytr[b])
        l.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        ep += l.item() * len(b)
    sched.step()
    with torch.no_grad():
        rmse = ((model(Xte) - yte) ** 2).mean().sqrt().item() * std
    if epoch % 5 == 0 or epoch == 29:
        print(f"{epoch:3d} train {ep/len(Xtr):.4f} test rmse {rmse:.4f}")

# %% baselines
naive = float(((Xte[:, -1] - yte) ** 2).mean().sqrt()) * std
ridge = Ridge().fit(Xtr.numpy(), ytr.numpy())
rr = np.sqrt(((ridge.predict(Xte.numpy()) - yte.numpy()) ** 2).mean()) * std
print(f"naive {naive:.4f} ridge-AR {rr:.4f} innovation sd 0.3000")
