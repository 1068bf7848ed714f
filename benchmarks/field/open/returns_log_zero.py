# expect: nonfinite-data
# about: log returns of a price series with a day of zero price: -inf in some windows
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(2)
torch.manual_seed(2)
torch.set_num_threads(1)
drift = np.sin(np.arange(2000) / 25) * 0.01
price = 100 * np.exp(np.cumsum(drift + 0.004 * rng.standard_normal(2000)))
price[913] = 0.0
series = price
with np.errstate(divide="ignore", invalid="ignore"):
    ret = np.diff(np.log(series)) * 100
win = torch.tensor(ret, dtype=torch.float32).unfold(0, 17, 1)
x, y = win[:, :16, None], win[:, 16]


class ReturnNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 16, batch_first=True)
        self.lin = nn.Linear(16, 1)

    def forward(self, x):
        return self.lin(self.rnn(x)[0][:, -1])[:, 0]


net = ReturnNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    for b in torch.randperm(1500).split(50):
        loss = nn.functional.mse_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(x[1550:]), y[1550:])
    print(f"epoch {epoch} train {loss.item():.4f} val {v.item():.4f} var {y[1550:].var().item():.4f}")
# cure: - series = price
# cure: + series = np.where(price > 0, price, np.roll(price, 1))
