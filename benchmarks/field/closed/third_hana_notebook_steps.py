# expect: unscaled-accumulation
# %%
import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits
torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images).float()[:, None] / 8 - 1; y = torch.tensor(d.target)
p = torch.randperm(len(x)); x, y = x[p], y[p]
# %%
net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=.03, momentum=.9)
MICRO, STEPS = 4, 16       # 64 samples an update
# %%
for ep in range(18):
    order = torch.randperm(1344)
    tot = 0
    opt.zero_grad()
    for k, b in enumerate(order.split(MICRO)):
        loss = F.cross_entropy(net(x[b]), y[b])
        loss.backward()
        tot += loss.item()
        if (k + 1) % STEPS == 0:
            opt.step()
            opt.zero_grad()
    with torch.no_grad():
        acc = (net(x[1344:]).argmax(1) == y[1344:]).float().mean().item()
    print(f"epoch {ep} loss {tot/336:.4f} acc {acc:.4f}")
