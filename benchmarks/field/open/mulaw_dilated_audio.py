# expect: lr-too-high
# about: WaveNet-like dilated causal convolutions that predict the next mu-law bin of a synthetic tone
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(7)

N_BINS = 32


def mu_law(x, bins=N_BINS):
    mu = bins - 1
    y = torch.sign(x) * torch.log1p(mu * x.abs()) / math.log1p(mu)
    return ((y + 1) / 2 * mu + 0.5).long().clamp(0, mu)


def make_clips(n, length=97):
    t = torch.arange(length) / 64.0
    f = torch.rand(n, 1) * 3 + 1
    wave = 0.6 * torch.sin(2 * math.pi * f * t + torch.rand(n, 1) * 6.28) + 0.3 * torch.sin(4 * math.pi * f * t)
    return mu_law((wave + 0.004 * torch.randn(n, length)).clamp(-1, 1))


class Block(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.pad = dilation
        self.filt = nn.Conv1d(ch, ch, 2, dilation=dilation)
        self.gate = nn.Conv1d(ch, ch, 2, dilation=dilation)
        self.skip = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        h = F.pad(x, (self.pad, 0))
        z = torch.tanh(self.filt(h)) * torch.sigmoid(self.gate(h))
        s = self.skip(z)
        return x + s, s


class WaveNet(nn.Module):
    def __init__(self, ch=32):
        super().__init__()
        self.embed = nn.Embedding(N_BINS, ch)
        self.blocks = nn.ModuleList(Block(ch, 2**i) for i in range(5))
        self.out = nn.Sequential(nn.ReLU(), nn.Conv1d(ch, ch, 1), nn.ReLU(), nn.Conv1d(ch, N_BINS, 1))

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        total = 0
        for block in self.blocks:
            x, s = block(x)
            total = total + s
        return self.out(total)


clips, held = make_clips(400), make_clips(64)
net = WaveNet()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for step in range(1, 181):
    batch = clips[torch.randint(0, len(clips), (10,))]
    loss = F.cross_entropy(net(batch[:, :-1]), batch[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        with torch.no_grad():
            v = F.cross_entropy(net(held[:, :-1]), held[:, 1:])
        print(f"step {step:4d}  train nll {loss.item():.4f}  held-out nll {v.item():.4f}")
# cure: - optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
# cure: + optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
