# expect: healthy
# about: batches of two images as memory allows, GroupNorm in place of BatchNorm, averaging of the last weights
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(81)


def shapes(n):
    imgs, lab = 0.25 * torch.randn(n, 1, 16, 16), torch.randint(0, 3, (n,))
    for k in range(n):
        i, j, s = int(torch.randint(1, 8, ())), int(torch.randint(1, 8, ())), int(torch.randint(5, 8, ()))
        if lab[k] == 0:
            imgs[k, 0, i:i + s, j:j + s] += 1
        elif lab[k] == 1:
            imgs[k, 0, i:i + s, j] += 1
            imgs[k, 0, i, j:j + s] += 1
        else:
            for t in range(s):
                imgs[k, 0, i + t, j + t] += 1
    return imgs, lab


def gn(i, o, stride):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.GroupNorm(4, o), nn.ReLU(inplace=True))


net = nn.Sequential(gn(1, 16, 1), gn(16, 24, 2), gn(24, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 3))
xt, yt = shapes(600)
xv, yv = shapes(300)
opt = torch.optim.SGD(net.parameters(), lr=5e-3, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5 * 300)
for epoch in range(5):
    tot = 0.0
    for b in torch.randperm(600).view(-1, 2):
        loss = F.cross_entropy(net(xt[b]), yt[b])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch}: train {tot / 300:.4f} val {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
