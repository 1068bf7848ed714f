# expect: healthy
# about: DeepSets on small point clouds with jitter augmentation, SGD Nesterov, step decay
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
g = torch.Generator().manual_seed(77)


def cloud(kind, n=40):
    u, v = torch.rand(n, generator=g), torch.rand(n, generator=g)
    if kind == 0:
        th, z = 2 * math.pi * u, 2 * v - 1
        r = (1 - z * z).sqrt()
        p = torch.stack([r * th.cos(), r * th.sin(), z], 1)
    elif kind == 1:
        p = torch.rand(n, 3, generator=g) * 2 - 1
        face = torch.randint(3, (n,), generator=g)
        p[torch.arange(n), face] = p[torch.arange(n), face].sign()
    elif kind == 2:
        p = torch.stack([(2 * math.pi * u).cos(), (2 * math.pi * u).sin(), 2 * v - 1], 1)
    else:
        a, b = 2 * math.pi * u, 2 * math.pi * v
        p = torch.stack([(0.7 + 0.3 * b.cos()) * a.cos(), (0.7 + 0.3 * b.cos()) * a.sin(), 0.3 * b.sin()], 1)
    q, _ = torch.linalg.qr(torch.randn(3, 3, generator=g))
    return p @ q + 0.03 * torch.randn(n, 3, generator=g)


def make(n):
    y = torch.randint(4, (n,), generator=g)
    return torch.stack([cloud(int(k)) for k in y]), y


class DeepSets(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.rho = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, pts):
        h = self.phi(pts)
        return self.rho(torch.cat([h.amax(1), h.mean(1)], 1))


torch.manual_seed(2)
x, y = make(1500)
xt, yt = make(400)
net = DeepSets()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)
for epoch in range(24):
    for b in torch.randperm(len(x)).split(50):
        jittered = x[b] + 0.02 * torch.randn_like(x[b])
        loss = F.cross_entropy(net(jittered), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    if epoch % 5 == 0 or epoch == 23:
        with torch.no_grad():
            lo = net(xt)
        print(epoch, "train %.3f" % loss.item(), "test %.3f" % F.cross_entropy(lo, yt).item(), "acc %.3f" % (lo.argmax(1) == yt).float().mean().item())
