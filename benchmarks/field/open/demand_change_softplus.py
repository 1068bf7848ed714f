# expect: output-range-mismatch
# about: retail demand change against last week, network head reused from the sales level model
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(37)
torch.set_num_threads(1)
rng = np.random.default_rng(37)
n = 4000
price_cut, promo, temp, trend = rng.uniform(0, 0.5, n), rng.integers(0, 2, n), rng.normal(size=n), rng.normal(size=n)
change = 2.5 * price_cut * promo - 0.8 * (1 - promo) + 0.6 * np.tanh(temp) + 0.3 * trend + 0.15 * rng.normal(size=n)
X = torch.tensor(np.c_[(price_cut - 0.25) / 0.14, promo * 2 - 1, temp, trend], dtype=torch.float32)
y = torch.tensor(change, dtype=torch.float32).unsqueeze(1)


class DemandNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(4, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU())
        self.level = nn.Linear(48, 1)

    def forward(self, x):
        return nn.functional.softplus(self.level(self.hidden(x)))


net = DemandNet()
opt = torch.optim.NAdam(net.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(X[:3200], y[:3200]), batch_size=64, shuffle=True)
for epoch in range(1, 13):
    acc = []
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.huber_loss(net(xb), yb)
        loss.backward()
        opt.step()
        acc.append(loss.item())
    with torch.no_grad():
        r = net(X[3200:]) - y[3200:]
    print(f"epoch {epoch:2d} huber {np.mean(acc):.4f} val R2 {1 - (r**2).mean().item() / y[3200:].var().item():.3f}")
# cure: - return nn.functional.softplus(self.level(self.hidden(x)))
# cure: + return self.level(self.hidden(x))
