# expect: output-range-mismatch
# about: stacked LSTM forecaster whose top layer has one unit per predicted channel, z-scored series
import numpy as np
import torch

torch.manual_seed(36)
torch.set_num_threads(1)
rs = np.random.RandomState(36)
t = np.arange(2400)
burst = np.exp(3.0 * np.sin(2 * np.pi * t / 30)) + 0.5 * np.sin(2 * np.pi * t / 7)
second = np.exp(2.5 * np.cos(2 * np.pi * t / 22))
series = np.stack([burst, second], 1) + 0.05 * rs.randn(2400, 2)
series = (series - series[:1800].mean(0)) / series[:1800].std(0)
series = torch.tensor(series, dtype=torch.float32)
LOOK = 24


class Forecaster(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = torch.nn.LSTM(2, 32, batch_first=True)
        self.l2 = torch.nn.LSTM(32, 2, batch_first=True)
        self.scale = torch.nn.Linear(2, 2)

    def forward(self, x):
        out, _ = self.l2(self.l1(x)[0])
        return out[:, -1]


def windows(start):
    i = start[:, None] + torch.arange(LOOK)
    return series[i], series[start + LOOK]


net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
vx, vy = windows(torch.arange(1800, 2370))
for step in range(1, 701):
    x, y = windows(torch.randint(0, 1800 - LOOK, (32,)))
    loss = torch.nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 70 == 0:
        with torch.no_grad():
            v = torch.nn.functional.mse_loss(net(vx), vy).item()
        print(f"step {step:4d} train mse {loss.item():.4f} val mse {v:.4f} R2 {1 - v / vy.var().item():.3f}")
# cure: - return out[:, -1]
# cure: + return self.scale(out[:, -1])
