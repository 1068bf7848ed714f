# expect: batchnorm-tiny-batch
# also: batch-too-small
# about: segmentation-like conv net with BatchNorm fed two small crops at a time
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def make(n):
    y = torch.randint(0, 4, (n,))
    x = 0.7 * torch.randn(n, 1, 12) + 3 * torch.randn(n, 1, 1)
    t = torch.arange(12.0)
    waves = torch.stack([torch.sin(t), torch.sin(2 * t), t / 6 - 1, ((t % 4) > 1).float() * 2 - 1])
    return x + 1.2 * waves[y][:, None], y


X, y = make(800)
Xv, yv = make(300)
BATCH = 2
norm = lambda c: nn.BatchNorm1d(c)
net = nn.Sequential(nn.Conv1d(1, 16, 3, padding=1), norm(16), nn.ReLU(), nn.Conv1d(16, 16, 3, padding=1), norm(16), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 16), norm(16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    net.train()
    tot = 0
    for b in torch.randperm(800).split(BATCH):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(b) / 800
    net.eval()
    with torch.no_grad():
        o = net(Xv)
    print(f"epoch {epoch} train {tot:.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - norm = lambda c: nn.BatchNorm1d(c)
# cure: + norm = lambda c: nn.GroupNorm(4, c)
