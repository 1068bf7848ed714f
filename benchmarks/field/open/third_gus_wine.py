# expect: healthy
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CONF = {"folds": 6, "epochs": 25, "batch": 16, "lr": 5e-3, "hidden": 24, "wd": 1e-3, "seed": 0}
X, y = load_wine(return_X_y=True)
X = X.astype(np.float32)
scores, base = [], []
for fold, (tr, te) in enumerate(StratifiedKFold(CONF["folds"], shuffle=True, random_state=0).split(X, y)):
    torch.manual_seed(CONF["seed"] + fold)
    mu, sd = X[tr].mean(0), X[tr].std(0)
    xt, yt = torch.from_numpy((X[tr] - mu) / sd), torch.from_numpy(y[tr])
    xe, ye = torch.from_numpy((X[te] - mu) / sd), torch.from_numpy(y[te])
    net = nn.Sequential(nn.Linear(13, CONF["hidden"]), nn.ELU(), nn.Linear(CONF["hidden"], 3))
    opt = torch.optim.RMSprop(net.parameters(), lr=CONF["lr"], weight_decay=CONF["wd"])
    for ep in range(CONF["epochs"]):
        for b in torch.randperm(len(xt)).split(CONF["batch"]):
            opt.zero_grad()
            loss = nn.functional.multi_margin_loss(net(xt[b]), yt[b])
            loss.backward()
            opt.step()
    with torch.no_grad():
        scores.append((net(xe).argmax(1) == ye).float().mean().item())
    base.append(make_pipeline(StandardScaler(), LogisticRegression()).fit(X[tr], y[tr]).score(X[te], y[te]))
    print("fold", fold, "acc", scores[-1], "last loss", loss.item())
print("cv acc", np.mean(scores), "logreg", np.mean(base))
