# expect: scrambled-axes
# about: EEG epochs stored as time by channel, 1d convolutions over time for motor imagery
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(3)
torch.manual_seed(3)
torch.set_num_threads(1)
TRIALS, TIME, CHANNELS, CLASSES = 900, 64, 10, 4


def record(n):
    y = rng.integers(0, CLASSES, n)
    t = np.arange(TIME) / 64
    x = rng.normal(0, 1.0, (n, TIME, CHANNELS))
    for i, k in enumerate(y):
        burst = np.sin(2 * np.pi * 10 * t + rng.uniform(0, 6.28)) * np.exp(-((t - rng.uniform(0.3, 0.7)) ** 2) / 0.02)
        x[i, :, 2 * k] += 1.3 * burst
        x[i, :, 2 * k + 1] -= 1.3 * burst
    return x.astype(np.float32), y


class EEGNetLite(nn.Module):
    def __init__(self):
        super().__init__()
        self.temporal = nn.Conv1d(CHANNELS, 24, 9, padding=4)
        self.spatial = nn.Conv1d(24, 24, 5, padding=2)
        self.bn1, self.bn2 = nn.BatchNorm1d(24), nn.BatchNorm1d(24)
        self.head = nn.Linear(24, CLASSES)

    def forward(self, x):
        x = x.reshape(x.size(0), CHANNELS, TIME)
        x = nn.functional.max_pool1d(torch.relu(self.bn1(self.temporal(x))), 2)
        x = torch.relu(self.bn2(self.spatial(x)))
        return self.head(x.amax(dim=-1))


x, y = record(TRIALS)
xv, yv = (torch.from_numpy(a) for a in record(200))
loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=30, shuffle=True)
net = EEGNetLite()
optim = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
for epoch in range(10):
    net.train()
    cum = 0.0
    for xb, yb in loader:
        optim.zero_grad()
        loss = nn.functional.cross_entropy(net(xb), yb)
        loss.backward()
        optim.step()
        cum += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(xv)
    print(f"epoch {epoch + 1:2d}: train {cum / len(loader):.4f}, val {nn.functional.cross_entropy(out, yv).item():.4f}, kappa-ish acc {(out.argmax(1) == yv).float().mean().item():.3f}")
# cure: - x = x.reshape(x.size(0), CHANNELS, TIME)
# cure: + x = x.transpose(1, 2)
