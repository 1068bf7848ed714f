# expect: slow-data-loading
# about: each sample is fetched from a slow store (5 ms) in the training process, the step itself is short
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
LATENCY = 0.005


class RemoteStore(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 10)
        self.y = (self.x[:, :3].sum(1) > 0).long()
        self.cache = {}

    def __len__(self):
        return len(self.y)

    def fetch(self, i):
        time.sleep(LATENCY)
        return self.x[i], self.y[i]

    def __getitem__(self, i):
        return self.fetch(i)


loader = DataLoader(RemoteStore(240), batch_size=8, shuffle=True)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
t0 = time.perf_counter()
for epoch in range(6):
    good = 0
    for x, y in loader:
        o = net(x)
        loss = nn.functional.cross_entropy(o, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        good += (o.argmax(1) == y).sum().item()
    print(f"epoch {epoch} loss {loss.item():.4f} acc {good / 240:.3f} elapsed {time.perf_counter() - t0:.1f} s")
# cure: - return self.fetch(i)
# cure: + if i not in self.cache:
# cure: +     self.cache[i] = self.fetch(i)
# cure: + return self.cache[i]
