# expect: unscaled-inputs
# about: pressure in pascal (101325 +- 500) next to temperatures; GRU with Adam learns nothing
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def readings(n):
    p = torch.randn(n, 20).cumsum(1) * 80
    temp = 15 + 5 * torch.randn(n, 20)
    rain = (p[:, -8] - p[:, -1]) / 200 + (temp[:, -5:].mean(1) - 15) / 2.2 > 0
    return torch.stack([101325 + p, temp], 2), rain.float()


X, y = readings(1800)


class RainNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1]).squeeze(1)


def prepare(x):
    return x


X = prepare(X)
net = RainNet()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(10):
    for b in torch.randperm(1400).split(40):
        opt.zero_grad()
        loss = bce(net(X[b]), y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[1400:])
        print(f"epoch {epoch} loss {loss.item():.4f} val {bce(o, y[1400:]).item():.4f} acc {((o > 0) == (y[1400:] > 0.5)).float().mean().item():.3f}")
# cure: - return x
# cure: + return (x - x.mean((0, 1))) / x.std((0, 1))
