# expect: healthy
# about: proxy-anchor metric learning on part images, proxies learn a hundred times faster than the net, large loss values from the 32-fold exponents, unseen classes retrieved
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(6)
torch.manual_seed(6)
CLASSES, SEEN = 90, 70
proto = rng.standard_normal((CLASSES, 8))
mixer = rng.standard_normal((16, 60))
mixer2 = rng.standard_normal((60, 40)) / 8


def parts(c):
    z = proto[c] + 0.35 * rng.standard_normal((len(c), 8))
    light = 1.6 * rng.standard_normal((len(c), 8))
    x = np.tanh(np.hstack([z, light]) @ mixer / 8) @ mixer2 + 0.05 * rng.standard_normal((len(c), 40))
    return torch.tensor(x, dtype=torch.float32)


ytr = rng.integers(0, SEEN, 4200)
yte = rng.integers(SEEN, CLASSES, 600)
xtr, xte = parts(ytr), parts(yte)
mu, sd = xtr.mean(0), xtr.std(0)
xtr, xte, ytr, yte = (xtr - mu) / sd, (xte - mu) / sd, torch.tensor(ytr), torch.tensor(yte)


class ProxyAnchor(nn.Module):
    def __init__(self, classes, dim, margin=0.1, alpha=32):
        super().__init__()
        self.proxies = nn.Parameter(torch.randn(classes, dim))
        nn.init.kaiming_normal_(self.proxies, mode="fan_out")
        self.margin, self.alpha = margin, alpha

    def forward(self, e, y):
        cos = F.normalize(e) @ F.normalize(self.proxies).T
        pos = F.one_hot(y, len(self.proxies)).bool()
        p = torch.where(pos, torch.exp(-self.alpha * (cos - self.margin)), 0).sum(0)
        n = torch.where(~pos, torch.exp(self.alpha * (cos + self.margin)), 0).sum(0)
        present = pos.any(0).sum()
        return torch.log1p(p).sum() / present + torch.log1p(n).sum() / len(self.proxies)


net = nn.Sequential(nn.Linear(40, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 24))
criterion = ProxyAnchor(SEEN, 24)
opt = torch.optim.AdamW([{"params": net.parameters(), "lr": 1e-3}, {"params": criterion.parameters(), "lr": 1e-1}], weight_decay=1e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, 6, 0.5)


def recall_at_1(e):
    s = F.normalize(e) @ F.normalize(e).T
    s.fill_diagonal_(-2)
    return (yte[s.argmax(1)] == yte).float().mean().item()


print(f"raw features, unseen classes: recall@1 {recall_at_1(xte):.3f}")
for epoch in range(20):
    run = []
    for b in torch.randperm(4200).split(96):
        loss = criterion(net(xtr[b]), ytr[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 10)
        opt.step()
        run.append(loss.item())
    sched.step()
    with torch.no_grad():
        if epoch % 2:
            print(f"epoch {epoch + 1} loss {np.mean(run):.4f} unseen recall@1 {recall_at_1(net(xte)):.3f}")
z = torch.tensor(proto[yte.numpy()] + 0.35 * rng.standard_normal((600, 8)), dtype=torch.float32)
print(f"with the hidden factors themselves: recall@1 {recall_at_1(z):.3f} | chance 0.1")
