# expect: healthy
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from functools import partial
from sklearn.datasets import load_digits
from sklearn.svm import SVC


class Callback:
    def before_batch(self, L): pass
    def after_epoch(self, L): pass


class Blend(Callback):
    def __init__(self, a=0.4): self.d = torch.distributions.Beta(a, a)
    def before_batch(self, L):
        lam = self.d.sample((len(L.x), 1, 1, 1)); p = torch.randperm(len(L.x))
        oh = F.one_hot(L.y, 10).float()
        L.x, L.y = lam * L.x + (1 - lam) * L.x[p], lam[:, :, 0, 0] * oh + (1 - lam[:, :, 0, 0]) * oh[p]


class Print(Callback):
    def after_epoch(self, L):
        L.model.eval()
        with torch.no_grad():
            r = torch.cat([L.model(x).argmax(1) == y for x, y in L.valid]).float().mean().item()
            t = torch.cat([L.model(x).argmax(1) == y for x, y in L.train]).float().mean().item()
        print(f"{L.ep:3d} loss {L.avg:.3f} train acc {t:.4f} valid acc {r:.4f}")


class Learner:
    def __init__(self, model, train, valid, opt_fn, loss_fn, cbs):
        self.model, self.train, self.valid, self.loss_fn, self.cbs = model, train, valid, loss_fn, cbs
        self.opt = opt_fn(model.parameters())
        self.sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(self.opt, T_0=4 * len(train), T_mult=2, eta_min=1e-5)
    def fit(self, n):
        for self.ep in range(n):
            self.model.train(); s = 0
            for self.x, self.y in self.train:
                for c in self.cbs: c.before_batch(self)
                loss = self.loss_fn(self.model(self.x), self.y)
                loss.backward(); self.opt.step(); self.opt.zero_grad(); self.sched.step(); s += loss.item()
            self.avg = s / len(self.train)
            for c in self.cbs: c.after_epoch(self)


torch.manual_seed(44)
d = load_digits(); x = torch.tensor(d.images).float()[:, None] / 16; y = torch.tensor(d.target); p = torch.randperm(len(x))
dl = lambda i, **k: DataLoader(TensorDataset(x[i], y[i]), **k)
act = nn.ReLU()
model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), act, nn.Conv2d(16, 32, 3, stride=2, padding=1), act, nn.Flatten(), nn.Linear(512, 64), act, nn.Linear(64, 10))
Learner(model, dl(p[:1350], batch_size=64, shuffle=True), dl(p[1350:], batch_size=200), partial(torch.optim.AdamW, lr=3e-3), nn.CrossEntropyLoss(label_smoothing=0.1), [Blend(), Print()]).fit(28)
print("svc", SVC().fit(x[p[:1350]].flatten(1), y[p[:1350]]).score(x[p[1350:]].flatten(1), y[p[1350:]]))
