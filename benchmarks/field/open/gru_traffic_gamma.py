# expect: lr-decays-too-soon
# about: GRU one-step traffic forecast, exponential decay, while-loop over random windows
import numpy as np
import torch

np.random.seed(4)
torch.manual_seed(4)
torch.set_num_threads(1)
hours = np.arange(24 * 150)
weekday = (hours // 24) % 7
flow = (
    np.sin(2 * np.pi * hours / 24) + 0.5 * np.sin(4 * np.pi * hours / 24 + 1) + 0.6 * (weekday < 5) * np.cos(2 * np.pi * (hours - 8) / 12)
)
flow = flow + 0.1 * np.random.randn(len(hours))
flow = torch.tensor((flow - flow[:3000].mean()) / flow[:3000].std(), dtype=torch.float32)
WINDOW = 36


def windows(lo, hi, n=None):
    starts = torch.randint(lo, hi - WINDOW - 1, (n,)) if n else torch.arange(lo, hi - WINDOW - 1, 3)
    idx = starts[:, None] + torch.arange(WINDOW)
    return flow[idx].unsqueeze(-1), flow[starts + WINDOW]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(1, 32, batch_first=True)
        self.lin = torch.nn.Linear(32, 1)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.lin(out[:, -1]).squeeze(1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.95)
xv, yv = windows(3000, len(flow))
iteration = 0
while iteration < 600:
    xb, yb = windows(0, 3000, 32)
    loss = torch.nn.functional.mse_loss(net(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
    decay.step()
    iteration += 1
    if iteration % 75 == 0:
        with torch.no_grad():
            mse = torch.nn.functional.mse_loss(net(xv), yv).item()
        print(f"{iteration:4d}  train {loss.item():.4f}  test mse {mse:.4f}")
# cure: - decay = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.95)
# cure: + decay = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.995)
