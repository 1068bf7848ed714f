# expect: healthy
# about: weights and activations in bfloat16, float32 master copies held and updated by an own optimizer wrapper; learns as well as full precision
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(151)
torch.set_num_threads(1)
d = load_digits()
X = (torch.tensor(d.data).float() / 16).to(torch.bfloat16)
Y = torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, te = perm[:1400], perm[1400:]


class MasterWeights:
    def __init__(self, module, make):
        self.low = list(module.parameters())
        self.master = [p.detach().float().clone().requires_grad_(True) for p in self.low]
        self.inner = make(self.master)

    def zero_grad(self):
        for p in self.low:
            p.grad = None

    def step(self):
        for m, p in zip(self.master, self.low):
            m.grad = p.grad.float()
        self.inner.step()
        with torch.no_grad():
            for m, p in zip(self.master, self.low):
                p.copy_(m)


net = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 64), nn.GELU(), nn.Linear(64, 10)).to(torch.bfloat16)
opt = MasterWeights(net, lambda ps: torch.optim.AdamW(ps, lr=1e-3, weight_decay=0.01))
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt.inner, 25)
for epoch in range(25):
    net.train()
    tot = 0.0
    for b in tr[torch.randperm(len(tr))].split(40):
        loss = F.cross_entropy(net(X[b]).float(), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 35
    sched.step()
    if epoch % 3 == 0:
        net.eval()
        with torch.no_grad():
            out = net(X[te]).float()
        print(f"epoch {epoch} train {tot:.4f} test {F.cross_entropy(out, Y[te]).item():.4f} acc {(out.argmax(1) == Y[te]).float().mean():.4f}")
