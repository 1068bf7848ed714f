# expect: healthy
# about: Kaggle-style LSTM forecasting of a seasonal series, min-max scaling, MSE
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)

CFG = dict(window=24, hidden=32, batch=32, epochs=12, lr=3e-3)
t = np.arange(1000)
series = 200 + 30 * np.sin(2 * np.pi * t / 24) + 10 * np.sin(2 * np.pi * t / 168) + np.random.randn(1000) * 3
split = 800
lo, hi = series[:split].min(), series[:split].max()
scaled = (series - lo) / (hi - lo)


def windows(a):
    xs = np.stack([a[i : i + CFG["window"]] for i in range(len(a) - CFG["window"])])
    return torch.tensor(xs, dtype=torch.float32).unsqueeze(-1), torch.tensor(a[CFG["window"] :], dtype=torch.float32).unsqueeze(-1)


Xtr, ytr = windows(scaled[:split])
Xva, yva = windows(scaled[split - CFG["window"] :])


class Forecaster(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


model = Forecaster(CFG["hidden"])
opt = torch.optim.Adam(model.parameters(), lr=CFG["lr"])
loss_fn = nn.MSELoss()
dl = DataLoader(TensorDataset(Xtr, ytr), batch_size=CFG["batch"], shuffle=True)
for ep in range(CFG["epochs"]):
    model.train()
    hist = []
    for xb, yb in dl:
        opt.zero_grad()
        l = loss_fn(model(xb), yb)
        l.backward()
        opt.step()
        hist.append(l.item())
    model.eval()
    with torch.no_grad():
        pv = model(Xva)
        v = loss_fn(pv, yva).item()
        mae = (pv - yva).abs().mean().item() * (hi - lo)
    print(f"ep {ep:02d} train_mse {np.mean(hist):.5f} val_mse {v:.5f} val_mae(orig units) {mae:.2f}")
