# expect: healthy
# about: cosine annealing with warm restarts: the loss jumps up at each restart and comes back lower
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(12)


def textures(n):
    label = torch.randint(0, 5, (n,))
    g = torch.linspace(0, 6.28, 12)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    angle = label * 0.45 + 0.08 * torch.randn(n)
    phase = 6.28 * torch.rand(n)
    img = torch.sin(2 * (xx * angle.cos()[:, None, None] + yy * angle.sin()[:, None, None]) + phase[:, None, None])
    return (img + 1.7 * torch.randn(n, 12, 12))[:, None], label


xt, yt = textures(2500)
xv, yv = textures(600)
net = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(96, 5))
optimizer = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9, weight_decay=1e-3)
iters = 40
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=3 * iters, T_mult=1)
for epoch in range(12):
    net.train()
    acc_loss = 0.0
    for b in torch.randperm(len(xt))[: iters * 60].view(iters, 60):
        loss = F.cross_entropy(net(xt[b]), yt[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        acc_loss += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(xv)
    print(f"ep {epoch} lr {scheduler.get_last_lr()[0]:.4f} train {acc_loss / iters:.4f} val {F.cross_entropy(out, yv):.4f} acc {(out.argmax(1) == yv).float().mean():.3f}")
