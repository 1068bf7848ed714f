# expect: healthy
# about: small residual CNN on drawn road-sign shapes, SGD with Nesterov momentum and OneCycle
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
torch.set_num_threads(1)

SIZE = 16
SHAPES = ["circle", "square", "triangle", "cross", "ring"]


def draw(kind, g):
    yy, xx = torch.meshgrid(torch.arange(SIZE).float(), torch.arange(SIZE).float(), indexing="ij")
    r = 3.5 + 2.5 * torch.rand(1, generator=g).item()
    cx, cy = (6.5 + 2.5 * torch.rand(2, generator=g)).tolist()
    a = (torch.rand(1, generator=g).item() - 0.5) * math.pi / 6
    dx, dy = xx - cx, yy - cy
    u, v = math.cos(a) * dx + math.sin(a) * dy, -math.sin(a) * dx + math.cos(a) * dy
    if kind == "circle":
        m = u**2 + v**2 < r**2
    elif kind == "square":
        m = (u.abs() < r * 0.85) & (v.abs() < r * 0.85)
    elif kind == "triangle":
        m = (v < r * 0.7) & (v > 1.8 * u.abs() - r)
    elif kind == "cross":
        m = ((u.abs() < r * 0.3) & (v.abs() < r)) | ((v.abs() < r * 0.3) & (u.abs() < r))
    else:
        m = (u**2 + v**2 < r**2) & (u**2 + v**2 > (0.55 * r) ** 2)
    img = 0.2 + 0.6 * m.float()
    return img + 0.08 * torch.randn(SIZE, SIZE, generator=g)


def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, len(SHAPES), (n,), generator=g)
    x = torch.stack([draw(SHAPES[k], g) for k in y])[:, None]
    return TensorDataset((x - 0.35) / 0.3, y)


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.short = nn.Sequential() if stride == 1 and cin == cout else nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.short(x))


model = nn.Sequential(
    nn.Conv2d(1, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
    Block(8, 8, 1), Block(8, 16, 2), Block(16, 32, 2),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, len(SHAPES)),
)
train_dl = DataLoader(make(1600, 0), batch_size=32, shuffle=True)
test_dl = DataLoader(make(600, 1), batch_size=200)
EPOCHS = 8
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.01, total_steps=EPOCHS * len(train_dl))

for epoch in range(EPOCHS):
    model.train()
    run = 0.0
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
        sched.step()
        run += loss.item() * len(yb)
    model.eval()
    hit, vl = 0, 0.0
    with torch.no_grad():
        for xb, yb in test_dl:
            out = model(xb)
            hit += (out.argmax(1) == yb).sum().item()
            vl += F.cross_entropy(out, yb, reduction="sum").item()
    print(f"epoch {epoch + 1}: train {run / 1600:.4f} test {vl / 600:.4f} acc {hit / 600:.4f}")
