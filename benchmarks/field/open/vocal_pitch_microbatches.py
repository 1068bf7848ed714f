# expect: unscaled-accumulation
# also: lr-too-high
# about: pitch regression from short frames; frames do not fit into memory at once, so sixteen small backward passes make a step
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
torch.set_num_threads(1)


def frames(n):
    f = torch.rand(n) * 1.5 + 0.5
    t = torch.arange(48) / 16
    x = torch.sin(2 * math.pi * f[:, None] * t + 6.28 * torch.rand(n, 1)) + 0.2 * torch.randn(n, 48)
    return TensorDataset(x[:, None], (f - 1.25) / 0.43)


class Pitch(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 16, 9, stride=2), nn.ReLU(), nn.Conv1d(16, 24, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(24 * 8, 32), nn.ReLU())
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(1)


ACCUMULATE = 16
net = Pitch()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.006, momentum=0.9)
train, val = frames(2560), frames(400)
for epoch in range(15):
    net.train()
    tracked = 0.0
    loader = DataLoader(train, batch_size=8, shuffle=True)
    optimizer.zero_grad()
    for i, (x, f) in enumerate(loader):
        loss = criterion(net(x), f)
        tracked += loss.item()
        loss.backward()
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
    net.eval()
    with torch.no_grad():
        v = criterion(net(val.tensors[0]), val.tensors[1]).item()
    print(f"epoch {epoch + 1:2d} train {tracked / len(loader):.4f} val {v:.4f}")
# cure: - loss.backward()
# cure: + (loss / ACCUMULATE).backward()
