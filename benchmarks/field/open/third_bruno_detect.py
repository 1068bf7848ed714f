# expect: healthy
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.ensemble import RandomForestClassifier


class CFG:
    seed = 77
    bs = 64
    epochs = 15
    lr = 1e-3
    gamma = 2.0


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class FocalLoss(nn.Module):
    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, y):
        p = torch.sigmoid(logits)
        pt = torch.where(y > 0.5, p, 1 - p).clamp(1e-6, 1)
        return (-(1 - pt) ** self.gamma * pt.log()).mean()


seed_everything(CFG.seed)
X, y = make_classification(5000, 20, n_informative=8, n_redundant=4, weights=[0.96], class_sep=1.2, flip_y=0.003, random_state=0)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
mu, sd = Xtr.mean(0), Xtr.std(0)
tt = lambda a: torch.tensor(a, dtype=torch.float32)
ds = TensorDataset(tt((Xtr - mu) / sd), tt(ytr))
cnt = np.bincount(ytr)
sampler = WeightedRandomSampler(tt((1 / cnt)[ytr]), len(ytr))
loader = DataLoader(ds, batch_size=CFG.bs, sampler=sampler)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr, weight_decay=1e-2)
crit = FocalLoss(CFG.gamma)
best = 0
for ep in range(CFG.epochs):
    model.train()
    losses = []
    for xb, yb in loader:
        opt.zero_grad()
        loss = crit(model(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        s = torch.sigmoid(model(tt((Xva - mu) / sd)).squeeze(1)).numpy()
    ap = average_precision_score(yva, s)
    best = max(best, ap)
    print(f"Epoch {ep} - loss {np.mean(losses):.4f} - AP {ap:.4f} - bal acc {balanced_accuracy_score(yva, s > .5):.4f}")
rf = RandomForestClassifier(random_state=0).fit(Xtr, ytr)
print("best AP", best, "rf AP", average_precision_score(yva, rf.predict_proba(Xva)[:, 1]), "bal acc rf", balanced_accuracy_score(yva, rf.predict(Xva)))
