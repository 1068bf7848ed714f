# expect: model-too-small
# about: spiral classification with a hidden layer of two units
import math
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def spirals(n):
    r = torch.rand(n).sqrt() * 2.5
    c = torch.randint(0, 3, (n,))
    a = 2 * r + c * 2 * math.pi / 3
    return torch.stack([r * a.cos(), r * a.sin()], 1) + 0.05 * torch.randn(n, 2), c


X, y = spirals(3000)
Xv, yv = spirals(600)
HIDDEN = 2
net = nn.Sequential(nn.Linear(2, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
for epoch in range(40):
    for b in torch.randperm(3000).split(64):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            o = net(Xv)
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
# cure: - HIDDEN = 2
# cure: + HIDDEN = 48
