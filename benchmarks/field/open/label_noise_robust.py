# expect: healthy
# about: a fifth of the training labels are flipped by annotators; generalised cross entropy, clean validation; training accuracy stops at 80 % as it should
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(19)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(X))
X, y = X[perm], y[perm]
noisy = y[:1400].clone()
flip = torch.rand(1400) < 0.2
noisy[flip] = torch.randint(0, 10, (int(flip.sum()),))


def gce(logits, target, q=0.7):
    p = logits.softmax(1).gather(1, target[:, None]).squeeze(1)
    return ((1 - p.clamp(min=1e-6) ** q) / q).mean()


net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, 8, 0.3)
for epoch in range(20):
    net.train()
    tot = hit = 0
    for b in torch.randperm(1400).split(64):
        out = net(X[b])
        loss = gce(out, noisy[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(b)
        hit += (out.argmax(1) == noisy[b]).sum().item()
    sched.step()
    net.eval()
    with torch.no_grad():
        o = net(X[1400:])
    print(f"epoch {epoch} gce {tot / 1400:.4f} train acc {hit / 1400:.3f} clean val acc {(o.argmax(1) == y[1400:]).float().mean():.3f}")
