# expect: healthy
# about: N-BEATS-like doubly residual stacks on many noisy seasonal series, each window divided by its level, sMAPE loss
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
gen = torch.Generator().manual_seed(51)
torch.manual_seed(51)
BACK, AHEAD = 36, 12


def series(n, length=BACK + AHEAD):
    t = torch.arange(length)
    r = lambda lo, hi: torch.rand(n, 1, generator=gen) * (hi - lo) + lo
    phase = r(0, 6.28)
    clean = r(50, 5000) * (1 + r(-0.3, 0.9) * t / length) * (1 + r(0.05, 0.4) * torch.sin(2 * np.pi * t / 12 + phase) + r(0, 0.15) * torch.sin(4 * np.pi * t / 12 + 2 * phase))
    return clean * (1 + 0.06 * torch.randn(n, length, generator=gen)), clean


class Block(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(BACK, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.back, self.fore = nn.Linear(width, BACK), nn.Linear(width, AHEAD)

    def forward(self, x):
        h = self.fc(x)
        return self.back(h), self.fore(h)


class NBeats(nn.Module):
    def __init__(self, blocks=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x):
        level = x.mean(1, keepdim=True)
        rest, out = x / level - 1, 0.0
        for b in self.blocks:
            back, fore = b(rest)
            rest, out = rest - back, out + fore
        return (out + 1) * level


def smape(f, y):
    return 200 * ((f - y).abs() / (f.abs() + y.abs())).mean()


x_train, _ = series(6000)
x_test, clean = series(1000)
net = NBeats()
opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
total = 900
sched = torch.optim.lr_scheduler.StepLR(opt, total // 6, 0.5)
for i in range(total):
    b = torch.randint(0, 6000, (128,))
    loss = smape(net(x_train[b, :BACK]), x_train[b, BACK:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if i % 150 == 149:
        with torch.no_grad():
            print(f"{i + 1:4d} train sMAPE {loss.item():.2f} test {smape(net(x_test[:, :BACK]), x_test[:, BACK:]).item():.2f} lr {sched.get_last_lr()[0]:.5f}")
print(f"seasonal naive {smape(x_test[:, BACK - 12:BACK], x_test[:, BACK:]).item():.2f} | the noiseless future {smape(clean[:, BACK:], x_test[:, BACK:]).item():.2f}")
