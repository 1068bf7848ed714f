# expect: healthy
# about: mean and variance head with GaussianNLLLoss; the noise grows along x, the loss ends below zero
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
rng = np.random.RandomState(0)
x = rng.uniform(-2, 2, (4000, 1)).astype(np.float32)
scale = 0.05 + 0.12 * (x + 2)
y = (np.sin(3 * x) + scale * rng.randn(4000, 1)).astype(np.float32)
x, y, scale = map(torch.from_numpy, (x, y, scale.astype(np.float32)))
train = DataLoader(TensorDataset(x[:3200], y[:3200]), batch_size=64, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Sequential(nn.Linear(1, 50), nn.Mish(), nn.Linear(50, 50), nn.Mish())
        self.mean = nn.Linear(50, 1)
        self.var = nn.Sequential(nn.Linear(50, 1), nn.Softplus())

    def forward(self, x):
        h = self.h(x)
        return self.mean(h), self.var(h) + 1e-6


torch.manual_seed(0)
net = Net()
loss_fn = nn.GaussianNLLLoss()
opt = torch.optim.RAdam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for epoch in range(20):
    net.train()
    for xb, yb in train:
        m, v = net(xb)
        loss = loss_fn(m, yb, v)
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    net.eval()
    with torch.no_grad():
        m, v = net(x[3200:])
        val = loss_fn(m, y[3200:], v)
        best = loss_fn(torch.sin(3 * x[3200:]), y[3200:], scale[3200:] ** 2)
        cover = ((y[3200:] - m).abs() < 1.96 * v.sqrt()).float().mean()
    print(f"epoch {epoch:02d} loss {loss.item():+.4f} val {val:+.4f} (truth {best:+.4f}) 95% cover {cover:.3f}")
