# expect: dead-relus
# about: single-shot detector head with the prior bias of the focal loss paper, blobs on a grid
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(30)
torch.set_num_threads(1)


class Detector(nn.Module):
    def __init__(self, prior=0.01):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.ReLU())
        self.tower = nn.Sequential(nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.ReLU())
        self.cls = nn.Conv2d(24, 1, 1)
        bias = -math.log((1 - prior) / prior)
        heads = self.modules()
        for m in heads:
            if isinstance(m, nn.Conv2d):
                nn.init.constant_(m.bias, bias)

    def forward(self, x):
        return self.cls(self.tower(self.trunk(x))).squeeze(1)


def focal(logits, target, gamma=2.0, alpha=0.75):
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    p = torch.sigmoid(logits)
    pt = p * target + (1 - p) * (1 - target)
    a = alpha * target + (1 - alpha) * (1 - target)
    return (a * (1 - pt) ** gamma * ce).sum() / target.sum().clamp(min=1)


def batch(n):
    grid = torch.zeros(n, 6, 6)
    cells = torch.randint(0, 36, (n, 2))
    grid.view(n, -1).scatter_(1, cells, 1.0)
    img = F.interpolate(grid.unsqueeze(1), scale_factor=4) + 0.3 * torch.randn(n, 1, 24, 24)
    return img, grid


net = Detector()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
xv, gv = batch(200)
for it in range(1, 501):
    x, g = batch(16)
    loss = focal(net(x), g)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 100 == 0:
        with torch.no_grad():
            scores = net(xv).flatten(1)
            found = gv.flatten(1).gather(1, scores.topk(2).indices).mean().item()
            print(f"iter {it} focal loss {loss.item():.4f} val {focal(net(xv), gv).item():.4f} precision@2 {found:.3f}")
# cure: - heads = self.modules()
# cure: + heads = self.cls.modules()
