# expect: broadcast-loss
# about: hand-written Huber loss, LSTM head gives (B, 1), labels (B,): silent broadcasting
import numpy as np
import torch
from torch import nn

torch.manual_seed(2)
np.random.seed(2)
torch.set_num_threads(1)
sig = np.cumsum(np.random.randn(1300)) * 0.05 + np.sin(np.arange(1300) / 7) * 2
sig = (sig - sig.mean()) / sig.std()
xs = torch.tensor(np.stack([sig[i : i + 20] for i in range(1280)])).float().unsqueeze(-1)
ys = torch.tensor(sig[20:]).float()


def huber(pred, true, delta=1.0):
    err = pred - true
    small = err.abs() <= delta
    return torch.where(small, 0.5 * err**2, delta * (err.abs() - 0.5 * delta)).mean()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 24, batch_first=True)
        self.proj = nn.Linear(24, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.proj(h[:, -1])


m = Model()
o = torch.optim.Adam(m.parameters(), lr=4e-3)
for epoch in range(10):
    for b in torch.randperm(1000).split(40):
        loss = huber(m(xs[b]), ys[b])
        o.zero_grad()
        loss.backward()
        o.step()
    with torch.no_grad():
        v = (m(xs[1000:]).flatten() - ys[1000:]).abs().mean()
    print("epoch", epoch, "huber", loss.item(), "val MAE", v.item())
# cure: - return self.proj(h[:, -1])
# cure: + return self.proj(h[:, -1])[:, 0]
