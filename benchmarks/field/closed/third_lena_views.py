# expect: healthy
import copy
from functools import partial
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import make_blobs
from sklearn.neighbors import KNeighborsClassifier

torch.manual_seed(0)
g = torch.Generator().manual_seed(1)
C, D, K = 12, 60, 512
protos = torch.randn(C, 10, generator=g)
lab = torch.randint(0, C, (3000,), generator=g)
mix = torch.randn(10, D // 2, generator=g)
sig = torch.tanh((protos[lab] + 0.3 * torch.randn(3000, 10, generator=g)) @ mix / 3)
x = torch.cat([sig, 1.5 * torch.randn(3000, D // 2, generator=g)], 1)
view = lambda b: torch.cat([b[:, :D // 2] + 0.2 * torch.randn(len(b), D // 2), 1.5 * torch.randn(len(b), D // 2)], 1)

enc = nn.Sequential(nn.Linear(D, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 32))


class Momentum(nn.Module):
    def __init__(self, net, m=0.95):
        super().__init__()
        self.q, self.k, self.m = net, copy.deepcopy(net), m
        self.k.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(K, 32), dim=1))
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    def forward(self, a, b, t=0.2):
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            for pk, pq in zip(self.k.parameters(), self.q.parameters()):
                pk.mul_(self.m).add_(pq, alpha=1 - self.m)
            k = F.normalize(self.k(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().t()], 1) / t
        i = int(self.ptr)
        self.queue[i:i + len(k)] = k
        self.ptr.fill_((i + len(k)) % K)
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def probe(f):
    with torch.no_grad():
        z = F.normalize(f(x), dim=1)
    return KNeighborsClassifier(10).fit(z[:2000], lab[:2000]).score(z[2000:], lab[2000:])


model = Momentum(enc)
opt = torch.optim.AdamW(model.q.parameters(), lr=2e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1000)
print("raw knn", probe(lambda v: v), "before", probe(model.q))
for it in range(1000):
    b = x[torch.randint(0, len(x), (64,))]
    loss = model(view(b), view(b))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 200 == 199:
        print(it + 1, loss.item(), "knn", probe(model.q))
