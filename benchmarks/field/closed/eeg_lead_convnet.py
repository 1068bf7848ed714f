# expect: scrambled-axes
# about: multichannel signals stored as (time, channel) are turned into (channel, time) with reshape before a 1-d convnet
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(2)
rng = np.random.RandomState(2)
N, T, C = 1400, 32, 6
y = rng.randint(4, size=N)
t = np.arange(T)
sig = 0.8 * rng.randn(N, T, C)
for k in range(N):
    lead = y[k]
    f = rng.choice([3, 4, 5])
    ph = rng.rand() * 6.28
    sig[k, :, lead] += 1.3 * np.sin(2 * np.pi * f * t / T + ph)
    sig[k, :, (lead + 1) % 4] += 1.3 * np.sin(2 * np.pi * f * t / T + ph - 1.2)
sig = (sig / sig.std()).astype(np.float32)
x = torch.from_numpy(sig)
x = x.reshape(N, C, T)
y = torch.from_numpy(y)


class EEGNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(C, 24, 7, padding=3)
        self.c2 = nn.Conv1d(24, 24, 5, padding=2)
        self.fc = nn.Linear(24, 4)

    def forward(self, x):
        h = F.max_pool1d(F.relu(self.c1(x)), 2)
        h = F.relu(self.c2(h))
        return self.fc(F.dropout(h.mean(2), 0.1, self.training))


net = EEGNet()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
for epoch in range(9):
    net.train()
    for b in torch.randperm(1100).split(32):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        o, ot = net(x[1100:]), net(x[:1100])
    print(f"epoch {epoch}: train loss {F.cross_entropy(ot, y[:1100]).item():.3f} test loss {F.cross_entropy(o, y[1100:]).item():.3f} test acc {(o.argmax(1) == y[1100:]).float().mean().item():.3f}")
# cure: - x = x.reshape(N, C, T)
# cure: + x = x.transpose(1, 2).contiguous()
