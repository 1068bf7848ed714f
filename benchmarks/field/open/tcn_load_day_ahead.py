# expect: healthy
# about: dilated causal convolutions forecast the next 12 hours of a load curve, compared with the same hour of yesterday
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
gen = np.random.default_rng(12)
torch.manual_seed(12)
N, CTX, HOR = 24 * 200, 72, 12
h = np.arange(N)
weather = np.zeros(N)
for i in range(1, N):
    weather[i] = 0.985 * weather[i - 1] + 0.17 * gen.standard_normal()
noise = np.zeros(N)
for i in range(1, N):
    noise[i] = 0.6 * noise[i - 1] + 1.2 * gen.standard_normal()
weekend = ((h // 24) % 7 >= 5)
load = 400 + 60 * np.sin(2 * np.pi * (h - 9) / 24) * np.where(weekend, 0.5, 1) + 25 * np.sin(4 * np.pi * (h - 7) / 24) - 30 * weekend + 14 * weather + 4 * noise
cut = int(0.8 * N)
m, s = load[:cut].mean(), load[:cut].std()
series = torch.tensor((load - m) / s, dtype=torch.float32)
cal = torch.tensor(np.stack([np.sin(2 * np.pi * h / 24), np.cos(2 * np.pi * h / 24), weekend], 0), dtype=torch.float32)


def window(starts):
    idx = starts[:, None] + torch.arange(CTX)[None]
    fut = starts[:, None] + CTX + torch.arange(HOR)[None]
    known = cal[:, fut].permute(1, 0, 2).flatten(1)
    return torch.cat([series[idx].unsqueeze(1), cal[:, idx].permute(1, 0, 2)], 1), known, series[fut]


class Causal(nn.Module):
    def __init__(self, cin, cout, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(cin, cout, 3, dilation=dilation))
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0)))) + self.skip(x)


class TCN(nn.Module):
    def __init__(self, c=24):
        super().__init__()
        self.stack = nn.Sequential(Causal(4, c, 1), Causal(c, c, 2), Causal(c, c, 4), Causal(c, c, 8), Causal(c, c, 16))
        self.out = nn.Linear(c + 3 * HOR, HOR)

    def forward(self, x, known):
        return self.out(torch.cat([self.stack(x)[..., -1], known], 1))


net = TCN()
opt = torch.optim.RAdam(net.parameters(), lr=6e-3)
STEPS = 700
sched = torch.optim.lr_scheduler.PolynomialLR(opt, STEPS, power=1.5)
vstarts = torch.arange(cut, N - CTX - HOR, 3)
for step in range(1, STEPS + 1):
    x, k, y = window(torch.randint(0, cut - CTX - HOR, (48,)))
    loss = F.l1_loss(net(x, k), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0:
        with torch.no_grad():
            x, k, y = window(vstarts)
            print(f"step {step} batch {loss.item() * s:.2f} MW, validation {F.l1_loss(net(x, k), y).item() * s:.2f} MW")
idx = vstarts[:, None] + CTX + torch.arange(HOR)[None]
print(f"yesterday's value: {(series[idx] - series[idx - 24]).abs().mean().item() * s:.2f} MW; last value kept: {(series[idx] - series[vstarts + CTX - 1][:, None]).abs().mean().item() * s:.2f} MW")
