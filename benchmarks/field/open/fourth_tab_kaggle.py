# expect: noisy-labels
import gc
import os
import random
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, accuracy_score
from sklearn.utils import shuffle


class CFG:
    SEED = 42
    EPOCHS = 60
    BATCH = 32
    LR = 1e-3
    HOLDOUT = 150


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)


set_seed(CFG.SEED)
raw = load_breast_cancer(as_frame=True)
df = raw.frame
FEATURES = list(raw.feature_names)

features = shuffle(df[FEATURES])
target = shuffle(df["target"])

X = features.to_numpy(np.float32)
y = target.to_numpy(np.float32)
X_tr, X_va = X[CFG.HOLDOUT:], X[:CFG.HOLDOUT]
y_tr, y_va = y[CFG.HOLDOUT:], y[:CFG.HOLDOUT]
m, s = X_tr.mean(0), X_tr.std(0)
X_tr, X_va = torch.tensor((X_tr - m) / s), torch.tensor((X_va - m) / s)
y_tr, y_va = torch.tensor(y_tr), torch.tensor(y_va)
del df, raw
gc.collect()


class TabNetLite(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(n, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3),
                               nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))

    def forward(self, x):
        return self.f(x)[:, 0]


model = TabNetLite(len(FEATURES))
opt = torch.optim.AdamW(model.parameters(), lr=CFG.LR, weight_decay=1e-3)
crit = nn.BCEWithLogitsLoss()
log = []
for ep in range(CFG.EPOCHS):
    model.train()
    perm = torch.randperm(len(X_tr))
    for i in range(0, len(perm) - CFG.BATCH + 1, CFG.BATCH):
        b = perm[i:i + CFG.BATCH]
        loss = crit(model(X_tr[b]), y_tr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        p = model(X_va).sigmoid().numpy()
    log.append({"epoch": ep, "train": loss.item(), "logloss": log_loss(y_va, p), "acc": accuracy_score(y_va, p > 0.5)})
print(pd.DataFrame(log).iloc[::10].to_string(index=False))
acc = log[-1]["acc"]
print("holdout acc", acc)
