# expect: healthy
# about: adversarial training with a 3-step PGD inner loop (input gradients, ascent on the loss); training loss on attacked inputs stays well above the clean validation loss
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(38)
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = torch.tensor(d.target)
p = torch.randperm(len(x))
xtr, ytr, xte, yte = x[p[:1400]], y[p[:1400]], x[p[1400:]], y[p[1400:]]
EPS, ALPHA, K = 0.1, 0.05, 3


def make():
    return nn.Sequential(nn.Conv2d(1, 20, 3, padding=1), nn.ReLU(), nn.Conv2d(20, 48, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(48 * 16, 96), nn.ReLU(), nn.Linear(96, 10))


def pgd(net, xb, yb, steps=K):
    delta = torch.empty_like(xb).uniform_(-EPS, EPS)
    for _ in range(steps):
        delta.requires_grad_()
        (g,) = torch.autograd.grad(F.cross_entropy(net(xb + delta), yb), delta)
        delta = (delta + ALPHA * g.sign()).clamp(-EPS, EPS).detach()
        delta = (xb + delta).clamp(0, 1) - xb
    return xb + delta


def scores(net):
    adv = pgd(net, xte, yte, 10)
    with torch.no_grad():
        return F.cross_entropy(net(xte), yte).item(), (net(xte).argmax(1) == yte).float().mean().item(), (net(adv).argmax(1) == yte).float().mean().item()


def fit(robust, epochs):
    net = make()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for ep in range(epochs):
        run = 0.0
        for b in torch.randperm(1400).split(70):
            xb = pgd(net, xtr[b], ytr[b]) if robust else xtr[b]
            loss = F.cross_entropy(net(xb), ytr[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item() / 20
        sched.step()
        if robust or ep == epochs - 1:
            print(f"{'robust' if robust else 'plain '} epoch {ep} train {run:.4f} clean loss %.4f clean acc %.4f attacked acc %.4f" % scores(net))


fit(False, 6)
fit(True, 12)
