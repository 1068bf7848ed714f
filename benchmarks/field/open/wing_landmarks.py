# expect: healthy
# about: five landmarks in pixel units by a small CNN, Wing loss from the face-alignment literature, OneCycle
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(11)
torch.set_num_threads(1)
SIZE = 24


class Faces(Dataset):
    """A face is a rigid pattern of five bright spots, moved, scaled and tilted."""

    base = torch.tensor([[-5.0, -4.0], [5.0, -4.0], [0.0, 0.0], [-4.0, 5.0], [4.0, 5.0]])

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        angle = (torch.rand(n, generator=g) - 0.5) * 0.8
        scale = 0.8 + 0.4 * torch.rand(n, generator=g)
        shift = 12 + 3 * (torch.rand(n, 1, 2, generator=g) * 2 - 1)
        rot = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(n, 2, 2)
        self.points = scale[:, None, None] * (self.base @ rot.transpose(1, 2)) + shift
        axis = torch.arange(SIZE).float()
        gx = torch.exp(-((axis - self.points[..., :1]) ** 2) / 2)
        gy = torch.exp(-((axis - self.points[..., 1:]) ** 2) / 2)
        self.images = torch.einsum("npy,npx->nyx", gy, gx)[:, None] + 0.1 * torch.randn(n, 1, SIZE, SIZE, generator=g)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.points[i].flatten()


class WingLoss(nn.Module):
    def __init__(self, w=5.0, eps=1.0):
        super().__init__()
        self.w, self.eps = w, eps
        self.c = w - w * math.log(1 + w / eps)

    def forward(self, pred, target):
        e = (pred - target).abs()
        return torch.where(e < self.w, self.w * torch.log(1 + e / self.eps), e - self.c).mean()


class LandmarkNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 36, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return SIZE / 2 + self.head(self.features(x))


train = DataLoader(Faces(1500, 0), batch_size=50, shuffle=True)
valid = DataLoader(Faces(300, 1), batch_size=100)
net, criterion = LandmarkNet(), WingLoss()
epochs = 14
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, epochs * len(train))
for epoch in range(epochs):
    net.train()
    run = 0.0
    for img, pts in train:
        optimizer.zero_grad()
        loss = criterion(net(img), pts)
        loss.backward()
        optimizer.step()
        scheduler.step()
        run += loss.item()
    net.eval()
    with torch.no_grad():
        err = torch.cat([(net(i) - p).view(-1, 5, 2).norm(dim=2).mean(1) for i, p in valid])
    print(f"[{epoch + 1}/{epochs}] wing {run / len(train):.3f}  mean point error {err.mean():.3f} px")
