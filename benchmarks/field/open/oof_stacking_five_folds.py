# expect: healthy
# about: kaggle out-of-fold predictions: a fresh net and scaler per fold, five folds, then a ridge on the out-of-fold columns; loss jumps back up with every fold
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

torch.set_num_threads(1)
X, y = make_friedman1(3600, 12, noise=1.0, random_state=0)
X, y, X_test, y_test = X[:2800], y[:2800], X[2800:], y[2800:]


def build(kind):
    if kind == "relu":
        return nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    return nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 24), nn.Tanh(), nn.Linear(24, 1))


def fit(net, a, t, av, tv, epochs=18):
    opt = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for _ in range(epochs):
        net.train()
        for b in torch.randperm(len(a)).split(64):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(a[b]), t[b])
            loss.backward()
            opt.step()
        sched.step()
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(av), tv).item()


oof, test_cols = np.zeros((len(X), 2)), np.zeros((len(X_test), 2))
for fold, (tr, va) in enumerate(KFold(5, shuffle=True, random_state=1).split(X)):
    sx, sy = StandardScaler().fit(X[tr]), StandardScaler().fit(y[tr, None])
    prep = lambda a: torch.tensor(sx.transform(a), dtype=torch.float32)
    t = torch.tensor(sy.transform(y[:, None]), dtype=torch.float32)
    for k, kind in enumerate(["relu", "tanh"]):
        torch.manual_seed(10 * fold + k)
        net = build(kind)
        val = fit(net, prep(X[tr]), t[tr], prep(X[va]), t[va])
        with torch.no_grad():
            oof[va, k] = sy.inverse_transform(net(prep(X[va])).numpy())[:, 0]
            test_cols[:, k] += sy.inverse_transform(net(prep(X_test)).numpy())[:, 0] / 5
        print(f"fold {fold} {kind} val mse {val:.4f} R2 {r2_score(y[va], oof[va, k]):.4f}")
stack = RidgeCV().fit(oof, y)
print(f"OOF R2 {r2_score(y, stack.predict(oof)):.4f}, test R2 {r2_score(y_test, stack.predict(test_cols)):.4f}, best possible about {1 - 1 / y_test.var():.4f}")
