# expect: healthy
# about: PointNet on sampled spheres, cubes, cylinders and cones, random rotations about z, shared MLP and max pooling
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(14)
torch.set_num_threads(1)
POINTS = 64


def solid(kind):
    u, v, w = torch.rand(3, POINTS)
    phi = 2 * math.pi * u
    if kind == 0:
        z = 2 * v - 1
        r = (1 - z**2).sqrt()
        p = torch.stack([r * phi.cos(), r * phi.sin(), z], 1)
    elif kind == 1:
        p = torch.rand(POINTS, 3) * 2 - 1
        axis = torch.randint(0, 3, (POINTS, 1))
        p = p.scatter(1, axis, torch.where(w[:, None] < 0.5, -1.0, 1.0)) * 0.8
    elif kind == 2:
        p = torch.stack([0.8 * phi.cos(), 0.8 * phi.sin(), 2 * v - 1], 1)
    else:
        h = v.sqrt()
        p = torch.stack([h * phi.cos(), h * phi.sin(), 1 - 2 * h], 1)
    a = torch.rand(1) * 2 * math.pi
    rot = torch.tensor([[a.cos(), -a.sin(), 0.0], [a.sin(), a.cos(), 0.0], [0.0, 0.0, 1.0]])
    return (p * (0.8 + 0.4 * torch.rand(1, 3))) @ rot.T + 0.05 * torch.randn(POINTS, 3)


class Solids(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 4, (n,))
        self.p = [solid(int(k)) for k in self.y]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.p[i].T, self.y[i]


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 1), nn.BatchNorm1d(64), nn.ReLU(), nn.Conv1d(64, 96, 1), nn.BatchNorm1d(96), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(96, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, 4))

    def forward(self, x):
        return self.head(self.shared(x).amax(2))


train_loader = DataLoader(Solids(1600), batch_size=32, shuffle=True)
test_loader = DataLoader(Solids(400), batch_size=200)
net = PointNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 4, 0.4)
for epoch in range(12):
    net.train()
    correct, loss_sum = 0, 0.0
    for pts, lab in train_loader:
        opt.zero_grad()
        out = net(pts)
        loss = F.cross_entropy(out, lab)
        loss.backward()
        opt.step()
        loss_sum += loss.item() * len(lab)
        correct += (out.argmax(1) == lab).sum().item()
    sched.step()
    net.eval()
    good, tl = 0, 0.0
    with torch.no_grad():
        for pts, lab in test_loader:
            out = net(pts)
            tl += F.cross_entropy(out, lab, reduction="sum").item()
            good += (out.argmax(1) == lab).sum().item()
    print("[%d] train loss: %.3f accuracy: %.3f   test loss: %.3f accuracy: %.3f" % (epoch, loss_sum / 1600, correct / 1600, tl / 400, good / 400))
