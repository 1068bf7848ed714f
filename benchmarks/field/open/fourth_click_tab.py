# expect: target-leakage
# also: leaked-validation, overfitting, train-val-mismatch
import random
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

SEED = 5
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)


def load():
    n, cards = 6000, {"merchant": 2500, "zip": 1800, "device": 2000}
    df = pd.DataFrame({c: np.random.randint(0, k, n) for c, k in cards.items()})
    for j in range(6):
        df[f"num{j}"] = np.random.randn(n)
    z = 1.2 * df.num0 - 0.9 * df.num1 + 1.0 * df.num2 * df.num3
    df["click"] = (np.random.rand(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df.iloc[:4000].copy(), df.iloc[4000:].copy(), list(cards)


def smooth_mean(src, col, prior, k=1.0):
    g = src.groupby(col)["click"].agg(["sum", "count"])
    return (g["sum"] + k * prior) / (g["count"] + k)


def encode(train, test, cols):
    prior = train.click.mean()
    for c in cols:
        enc = smooth_mean(train, c, prior)
        test[c + "_te"] = test[c].map(enc).fillna(prior)
        train[c + "_te"] = train[c].map(enc).fillna(prior)
    return train, test


train, test, cats = load()
train, test = encode(train, test, cats)
used = [c + "_te" for c in cats] + [f"num{j}" for j in range(6)]
mu, sd = train[used].mean(), train[used].std()
tx = torch.tensor(((train[used] - mu) / sd).values, dtype=torch.float32)
vx = torch.tensor(((test[used] - mu) / sd).values, dtype=torch.float32)
ty = torch.tensor(train.click.values, dtype=torch.float32)

net = nn.Sequential(nn.Linear(len(used), 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
for epoch in range(15):
    net.train()
    losses = []
    for b in torch.randperm(len(tx)).split(64):
        loss = nn.functional.binary_cross_entropy_with_logits(net(tx[b]).squeeze(1), ty[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        a, v = roc_auc_score(ty, net(tx)[:, 0]), roc_auc_score(test.click, net(vx)[:, 0])
    print(f"{epoch:02d} loss={np.mean(losses):.4f} train_auc={a:.4f} test_auc={v:.4f}")
