# expect: unscaled-inputs
# about: GRU on price, volume and spread columns predicting the volatility regime
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(50)
torch.set_num_threads(1)
rng = np.random.default_rng(50)
n, T = 1600, 15
regime = rng.integers(0, 2, n)
price = 120 + np.cumsum(rng.normal(size=(n, T)) * (0.5 + 0.9 * regime[:, None]), 1)
volume = rng.lognormal(14, 0.4, (n, T))
spread = 0.02 + 0.01 * rng.random((n, T)) + 0.006 * regime[:, None]
data = np.stack([price, volume, spread], -1)
lo, hi = data[:1200].reshape(-1, 3).min(0), data[:1200].reshape(-1, 3).max(0)
features = torch.tensor(data, dtype=torch.float32)
target = torch.tensor(regime)


class Regime(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 24, batch_first=True)
        self.fc = nn.Linear(24, 2)

    def forward(self, x):
        return self.fc(self.gru(x)[1][-1])


net = Regime()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(12):
    net.train()
    loss_sum = 0
    for idx in torch.randperm(1200).split(40):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(features[idx]), target[idx])
        loss.backward()
        optimizer.step()
        loss_sum += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(features[1200:]).argmax(1) == target[1200:]).float().mean().item()
    print("Epoch %d, loss %.4f, val acc %.3f" % (epoch + 1, loss_sum / 30, acc))
# cure: - features = torch.tensor(data, dtype=torch.float32)
# cure: + features = torch.tensor(2 * (data - lo) / (hi - lo) - 1, dtype=torch.float32)
