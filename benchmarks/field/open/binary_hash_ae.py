# expect: healthy
"""Binary codes with a straight-through estimator written as a custom autograd Function."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.cluster import KMeans

torch.manual_seed(36)


class BinarySTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1.5).float()


class HashAE(nn.Module):
    def __init__(self, bits=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, bits), nn.BatchNorm1d(bits))
        self.dec = nn.Sequential(nn.Linear(bits, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, x):
        code = BinarySTE.apply(self.enc(x))
        return self.dec(code), code


X = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
X = X[torch.randperm(len(X))]
tr, va = X[:1400], X[1400:]
m = HashAE()
opt = torch.optim.RMSprop(m.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=40, power=1.0)
for ep in range(40):
    m.train()
    tot = 0
    for xb in tr[torch.randperm(len(tr))].split(70):
        out, _ = m(xb)
        loss = (out - xb).pow(2).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 20
    sched.step()
    m.eval()
    with torch.no_grad():
        out, code = m(va)
        v = (out - va).pow(2).sum(1).mean().item()
    if ep % 5 == 4:
        print(f"epoch {ep+1} train {tot:.3f} val {v:.3f} distinct codes {len(code.unique(dim=0))}")
km = KMeans(64, n_init=1, random_state=0).fit(tr.numpy())
kv = ((va.numpy() - km.cluster_centers_[km.predict(va.numpy())]) ** 2).sum(1).mean()
print(f"mean image {(va - tr.mean(0)).pow(2).sum(1).mean():.3f}, k-means with 64 centres {kv:.3f}")
