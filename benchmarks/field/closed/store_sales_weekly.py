# expect: unscaled-targets
# about: weekly sales in units (tens of thousands) predicted by an LSTM with Adam 1e-3; inputs are scaled, targets are not
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
np.random.seed(9)
torch.set_num_threads(1)
weeks = np.arange(700)
sales = 24000 + 6000 * np.sin(2 * np.pi * weeks / 52) + 3500 * np.sin(2 * np.pi * weeks / 13 + 2) + 700 * np.random.randn(700)
mu, sd = sales[:560].mean(), sales[:560].std()
inputs = (sales - mu) / sd
L = 26
x = torch.tensor(np.stack([inputs[i:i + L] for i in range(700 - L)]), dtype=torch.float32).unsqueeze(-1)
y = torch.tensor(sales[L:], dtype=torch.float32).unsqueeze(-1)
back = lambda v: v
train_dl = DataLoader(TensorDataset(x[:520], y[:520]), batch_size=32, shuffle=True)


class SalesNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 32, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


net = SalesNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(20):
    net.train()
    for xb, yb in train_dl:
        loss = nn.functional.mse_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        p = back(net(x[534:]))
        t = back(y[534:])
        wape = ((p - t).abs().sum() / t.abs().sum()).item()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} train mse {loss.item():.4g} WAPE {wape:.3f} predicted range {p.min().item():.0f}..{p.max().item():.0f}")
# cure: - back = lambda v: v
# cure: + y = (y - mu) / sd
# cure: + back = lambda v: v * sd + mu
