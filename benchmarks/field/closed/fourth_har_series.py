# expect: scrambled-axes
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

CHANNELS, LENGTH, CLASSES = 3, 48, 5


def recordings(n, rng):
    """sensor readings as they come off the device: (time, channel)"""
    t = np.arange(LENGTH)[:, None]
    lab = rng.integers(0, CLASSES, n)
    freq = np.array([[.1, .25, .4], [.25, .4, .1], [.4, .1, .25], [.1, .1, .4], [.25, .25, .25]])
    ph = rng.uniform(0, 2 * np.pi, (n, 1, CHANNELS))
    x = np.sin(2 * np.pi * freq[lab][:, None, :] * 0.5 * t[None] + ph) * rng.uniform(0.6, 1.4, (n, 1, CHANNELS))
    return (x + rng.normal(0, 0.9, x.shape)).astype(np.float32), lab


class SensorSet(Dataset):
    def __init__(self, n, seed):
        self.x, self.y = recordings(n, np.random.default_rng(seed))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]).reshape(CHANNELS, LENGTH), int(self.y[i])


class Conv1dNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv1d(CHANNELS, 24, 7, padding=3), nn.BatchNorm1d(24), nn.ReLU(),
                               nn.Conv1d(24, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveMaxPool1d(4), nn.Flatten())
        self.o = nn.Linear(128, CLASSES)

    def forward(self, x):
        return self.o(self.f(x))


torch.manual_seed(6)
train_dl = DataLoader(SensorSet(700, 0), 32, shuffle=True)
test_dl = DataLoader(SensorSet(600, 1), 256)
net = Conv1dNet()
optim = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)
for epoch in range(10):
    net.train()
    for x, y in train_dl:
        loss = nn.functional.cross_entropy(net(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()

net.eval()
with torch.no_grad():
    ok = torch.cat([net(x).argmax(1) == y for x, y in test_dl])
acc = ok.float().mean().item()
