# expect: healthy
"""5-fold cross validation with early stopping, breast cancer data."""
import copy
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
skf = StratifiedKFold(5, shuffle=True, random_state=0)
scores, base = [], []

for fold, (tr, te) in enumerate(skf.split(X, y)):
    torch.manual_seed(fold)
    sc = StandardScaler().fit(X[tr])
    Xa, Xb = torch.tensor(sc.transform(X[tr])).float(), torch.tensor(sc.transform(X[te])).float()
    ya, yb = torch.tensor(y[tr]).float(), torch.tensor(y[te]).float()
    inner = torch.randperm(len(Xa))
    va, fit = inner[:60], inner[60:]

    model = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    crit = nn.BCEWithLogitsLoss()
    best, state, patience = np.inf, None, 0
    for epoch in range(200):
        model.train()
        for idx in fit[torch.randperm(len(fit))].split(16):
            opt.zero_grad()
            loss = crit(model(Xa[idx]).squeeze(1), ya[idx])
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            v = crit(model(Xa[va]).squeeze(1), ya[va]).item()
        if v < best - 1e-4:
            best, state, patience = v, copy.deepcopy(model.state_dict()), 0
        else:
            patience += 1
            if patience >= 10:
                break
    model.load_state_dict(state)
    with torch.no_grad():
        acc = ((model(Xb).squeeze(1) > 0).float() == yb).float().mean().item()
    scores.append(acc)
    base.append(LogisticRegression(max_iter=1000).fit(Xa.numpy(), y[tr]).score(Xb.numpy(), y[te]))
    print(f"fold {fold}: stopped at {epoch}, best val {best:.4f}, test acc {acc:.4f}")

print(f"mean {np.mean(scores):.4f} +- {np.std(scores):.4f} | logistic regression {np.mean(base):.4f}")
