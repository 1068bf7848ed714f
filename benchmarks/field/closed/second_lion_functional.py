# expect: healthy
"""torch.func + a hand-written Lion optimizer."""
import torch
import torch.nn as nn
from torch.func import functional_call, grad_and_value
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingRegressor

torch.manual_seed(3)
X, y = make_friedman1(3000, noise=1.0, random_state=3)
mu, sd = y[:2400].mean(), y[:2400].std()
X = torch.tensor(X, dtype=torch.float32) * 2 - 1
t = torch.tensor((y - mu) / sd, dtype=torch.float32)
Xtr, ttr, Xva, tva = X[:2400], t[:2400], X[2400:], t[2400:]

net = nn.Sequential(nn.Linear(10, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
params = {k: v.detach().clone() for k, v in net.named_parameters()}
mom = {k: torch.zeros_like(v) for k, v in params.items()}


def loss_fn(p, x, target):
    return ((functional_call(net, p, (x,)).squeeze(1) - target) ** 2).mean()


step_fn = grad_and_value(loss_fn)
B1, B2, LR, WD = 0.9, 0.99, 5e-4, 0.05
EPOCHS = 50
for ep in range(EPOCHS):
    lr = LR * (1 - ep / EPOCHS)
    tot = 0
    for idx in torch.randperm(2400).split(48):
        g, l = step_fn(params, Xtr[idx], ttr[idx])
        for k in params:
            upd = (B1 * mom[k] + (1 - B1) * g[k]).sign()
            params[k] = params[k] * (1 - lr * WD) - lr * upd
            mom[k] = B2 * mom[k] + (1 - B2) * g[k]
        tot += l.item() / 50
    if ep % 5 == 4:
        print(f"epoch {ep+1} train {tot:.4f} val {loss_fn(params, Xva, tva).item():.4f}")
gb = GradientBoostingRegressor(random_state=0).fit(Xtr.numpy(), ttr.numpy())
print("gradient boosting val mse %.4f, noise floor %.4f" % (((gb.predict(Xva.numpy()) - tva.numpy()) ** 2).mean(), 1 / sd ** 2))
