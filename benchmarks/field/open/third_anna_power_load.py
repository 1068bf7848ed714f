# expect: healthy
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(21)
T = 6000
t = torch.arange(T).float()
load = (1.0 * torch.sin(2 * math.pi * t / 24) + 0.5 * torch.sin(2 * math.pi * t / 168 + 1) * torch.cos(2 * math.pi * t / 24)
        + 0.0001 * t)
ar = torch.zeros(T)
for i in range(1, T):
    ar[i] = 0.9 * ar[i - 1] + 0.1 * torch.randn(1).item()
series = load + ar
m, s = series[:4800].mean(), series[:4800].std()
series = (series - m) / s
W = 48
xs = series.unfold(0, W + 1, 1)
train, test = xs[:4800 - W], xs[4800:]
train_dl = torch.utils.data.DataLoader(train, batch_size=64, shuffle=False)
test_dl = torch.utils.data.DataLoader(test, batch_size=64, shuffle=False)


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 16, 5, dilation=1)
        self.c2 = nn.Conv1d(16, 16, 5, dilation=4)
        self.fc = nn.Linear(16 * 28, 1)

    def forward(self, x):
        h = F.gelu(self.c1(x[:, None]))
        h = F.gelu(self.c2(h))
        return x[:, -1] + self.fc(h.flatten(1)).squeeze(1)


net = Conv()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(12):
    for b in train_dl:
        loss = ((net(b[:, :-1]) - b[:, -1]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    se = nv = 0.0
    with torch.no_grad():
        for b in test_dl:
            se += ((net(b[:, :-1]) - b[:, -1]) ** 2).sum().item()
            nv += ((b[:, -2] - b[:, -1]) ** 2).sum().item()
    print(f"epoch {epoch} last batch {loss.item():.4f} test mse {se/len(test):.4f} persistence {nv/len(test):.4f}")
