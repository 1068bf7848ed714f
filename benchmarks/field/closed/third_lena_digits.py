# expect: optimizer-misconfigured
import torch, torch.nn as nn
from functools import partial
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(0)
x, y = load_digits(return_X_y=True)
x, y = torch.tensor(x / 16).float(), torch.tensor(y)
p = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[p[:1300]], y[p[:1300]]), batch_size=32, shuffle=True)


class Learner:
    def __init__(self, model, opt_fn):
        self.model, self.opt = model, opt_fn(model.parameters())
    def fit(self, n):
        for e in range(n):
            s = 0
            for a, b in train:
                loss = nn.functional.cross_entropy(self.model(a), b)
                self.opt.zero_grad(); loss.backward(); self.opt.step(); s += loss.item()
            with torch.no_grad(): acc = (self.model(x[p[1300:]]).argmax(1) == y[p[1300:]]).float().mean().item()
            print(f"{e:2d} loss {s/len(train):.4f} acc {acc:.4f}")


opt_fn = partial(torch.optim.Adam, lr=1e-3, betas=(.9, .99), eps=.1)
Learner(nn.Sequential(nn.Linear(64, 100), nn.Tanh(), nn.Linear(100, 50), nn.Tanh(), nn.Linear(50, 10)), opt_fn).fit(14)
