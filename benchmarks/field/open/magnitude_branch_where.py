# expect: unstable-math
# about: signed square-root compression inside a sensor model, written with torch.where
import torch
from torch import nn

torch.manual_seed(43)
torch.set_num_threads(1)


def readings(n):
    x = torch.randn(n, 12)
    x[torch.rand(n, 12) < 0.1] = 0.0
    power = (x[:, :6] * x[:, 6:]).sum(1)
    return x, torch.where(power > 0, power.abs().sqrt(), -power.abs().sqrt())


class Compress(nn.Module):
    def forward(self, p):
        return torch.where(p > 0, torch.sqrt(p), torch.zeros_like(p))


class SensorNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(12, 64)
        self.squash = Compress()
        self.b = nn.Linear(128, 64)
        self.c = nn.Linear(64, 1)

    def forward(self, x):
        h = self.a(x)
        h = torch.cat([self.squash(h), torch.relu(-h)], 1)
        return self.c(torch.relu(self.b(h))).squeeze(1)


model = SensorNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 600)
vx, vy = readings(500)
for it in range(600):
    x, y = readings(64)
    loss = nn.functional.smooth_l1_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % 60 == 59:
        with torch.no_grad():
            print(f"{it + 1} train {loss.item():.4f} val {nn.functional.smooth_l1_loss(model(vx), vy).item():.4f}")
# cure: - return torch.where(p > 0, torch.sqrt(p), torch.zeros_like(p))
# cure: + return torch.where(p > 0, torch.sqrt(p.clamp(min=1e-6)), torch.zeros_like(p))
