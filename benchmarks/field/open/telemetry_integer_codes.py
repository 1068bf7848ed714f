# expect: detached-graph
# about: learned compression of telemetry windows into a few small integers, trained end to end
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR


class Codec(nn.Module):
    """Four codes of sixteen levels for each window of 32 samples."""

    def __init__(self, window=32, codes=4, levels=16):
        super().__init__()
        self.levels = levels
        self.encode = nn.Sequential(nn.Linear(window, 64), nn.ReLU(), nn.Linear(64, codes), nn.Sigmoid())
        self.decode = nn.Sequential(nn.Linear(codes, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, window))

    def forward(self, x):
        z = self.encode(x) * (self.levels - 1)
        q = torch.round(z)
        return self.decode(q / (self.levels - 1) * 2 - 1)


def windows(n):
    t = torch.linspace(0, 1, 32)
    a, f, p = torch.rand(n, 1) + 0.5, torch.rand(n, 1) + 0.5, torch.rand(n, 1) * 3
    return a * torch.sin(6.28 * f * t + p) + 0.02 * torch.randn(n, 32)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    codec = Codec()
    optimizer = torch.optim.AdamW(codec.parameters(), lr=3e-3)
    scheduler = CosineAnnealingLR(optimizer, 1200)
    check = windows(400)
    for step in range(1200):
        x = windows(64)
        loss = nn.functional.mse_loss(codec(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % 200 == 199:
            with torch.no_grad():
                e = nn.functional.mse_loss(codec(check), check).item()
            print(f"{step + 1:5d}: train {loss.item():.5f} check {e:.5f} (signal power {check.var().item():.3f})")


main()
# cure: - q = torch.round(z)
# cure: + q = z + (torch.round(z) - z).detach()
