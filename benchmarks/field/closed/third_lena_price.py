# expect: unscaled-targets
import torch, torch.nn as nn
from functools import partial
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression

torch.manual_seed(0)
X, y = make_friedman1(2000, noise=.5, random_state=3)
X = torch.tensor((X - .5) / .29).float()
y = torch.tensor(250000 + 18000 * y).float()
dl = lambda s, **k: DataLoader(TensorDataset(X[s], y[s]), **k)
train, valid = dl(slice(0, 1500), batch_size=32, shuffle=True), dl(slice(1500, None), batch_size=250)


class Learner:
    def __init__(self, model, opt_fn, loss_fn):
        self.model, self.loss_fn, self.opt = model, loss_fn, opt_fn(model.parameters())
    def fit(self, n):
        for e in range(n):
            self.model.train(); s = 0
            for a, b in train:
                loss = self.loss_fn(self.model(a).squeeze(1), b)
                self.opt.zero_grad(); loss.backward(); self.opt.step(); s += loss.item()
            self.model.eval()
            with torch.no_grad(): p = torch.cat([self.model(a).squeeze(1) for a, _ in valid])
            t = y[1500:]
            print(f"{e:2d} train loss {s/len(train):.4g} valid rmse {((p - t) ** 2).mean().sqrt().item():.1f} R2 {1 - (((p - t) ** 2).mean() / t.var()).item():.4f}")


Learner(nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)), partial(torch.optim.Adam, lr=2e-3), nn.MSELoss()).fit(20)
print("linear R2", LinearRegression().fit(X[:1500], y[:1500]).score(X[1500:], y[1500:]))
