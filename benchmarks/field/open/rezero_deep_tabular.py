# expect: healthy
# about: 24 residual blocks with a gate that starts at zero, so every block gets no gradient at the first step
import math

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(31)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)
        self.b = nn.Linear(width, width)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * self.b(torch.relu(self.a(x)))


class ReZeroNet(nn.Module):
    def __init__(self, width=32, depth=24):
        super().__init__()
        self.stem = nn.Linear(5, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x).squeeze(-1)


def friedman(n):
    x = torch.rand(n, 5)
    y = 10 * torch.sin(math.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x * 2 - 1, (y - 14.4) / 4.9 + 0.1 * torch.randn(n)


xt, yt = friedman(4000)
xv, yv = friedman(1000)
model = ReZeroNet()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=10 * 63)
for epoch in range(10):
    s = 0
    for idx in torch.randperm(4000).split(64):
        loss = nn.functional.mse_loss(model(xt[idx]), yt[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        s += loss.item() * len(idx)
    with torch.no_grad():
        v = nn.functional.mse_loss(model(xv), yv).item()
    print(f"epoch {epoch} train {s / 4000:.4f} val {v:.4f} R2 {1 - v / yv.var().item():.4f}")
