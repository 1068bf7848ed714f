# expect: class-imbalance
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import RobustScaler

CFG = dict(seed=2024, epochs=8, bs=256, lr=1e-3, hidden=48)
np.random.seed(CFG["seed"])
torch.manual_seed(CFG["seed"])

X, y = make_classification(12000, 18, n_informative=6, n_redundant=3, weights=[0.97], class_sep=0.8, flip_y=0.004,
                           n_clusters_per_class=3, random_state=CFG["seed"])
df = pd.DataFrame(X, columns=[f"V{i}" for i in range(18)])
df["Class"] = y
print("fraud share: %.4f" % df.Class.mean())

tr, te = train_test_split(df, test_size=0.25, stratify=df.Class, random_state=0)
sc = RobustScaler().fit(tr.drop(columns="Class"))
T = lambda d: (torch.tensor(sc.transform(d.drop(columns="Class")), dtype=torch.float32), torch.tensor(d.Class.values, dtype=torch.float32))
(xt, yt), (xv, yv) = T(tr), T(te)


class Model(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n, h), nn.ReLU(), nn.Dropout(0.2), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x).flatten()


model = Model(18, CFG["hidden"])
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=CFG["lr"])
for epoch in range(CFG["epochs"]):
    model.train()
    for b in torch.randperm(len(xt)).split(CFG["bs"]):
        optimizer.zero_grad()
        loss = criterion(model(xt[b]), yt[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        pred = (model(xv) > 0).int().numpy()
    acc = (pred == yv.numpy()).mean()
    bal = balanced_accuracy_score(yv, pred)
    print(f"epoch {epoch} loss {loss.item():.4f} acc {acc:.4f} balanced {bal:.4f} f1 {f1_score(yv, pred, zero_division=0):.4f}")
