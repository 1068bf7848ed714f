# expect: healthy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, recall_score, roc_auc_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(33)
X, y = make_classification(12000, 16, n_informative=8, n_clusters_per_class=2, weights=[0.97], flip_y=0.002, class_sep=1.2, random_state=33)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.3, stratify=y, random_state=33)
mu, sd = Xtr.mean(0), Xtr.std(0)
t = lambda a: torch.tensor((a - mu) / sd, dtype=torch.float32)
print("positives in train:", int(ytr.sum()), "of", len(ytr))

w = torch.where(torch.tensor(ytr) == 1, 8.0, 1.0)
loader = DataLoader(TensorDataset(t(Xtr), torch.tensor(ytr).float()), batch_size=128,
                    sampler=WeightedRandomSampler(w, len(w)))


def focal(logit, target, gamma=2.0, alpha=0.5):
    ce = F.binary_cross_entropy_with_logits(logit, target, reduction="none")
    pt = torch.exp(-ce)
    a = alpha * target + (1 - alpha) * (1 - target)
    return (a * (1 - pt) ** gamma * ce).mean()


model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for ep in range(20):
    tot = 0
    for xb, yb in loader:
        loss = focal(model(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    if ep % 4 == 3:
        with torch.no_grad():
            s = model(t(Xva)).squeeze(1)
        print(f"epoch {ep+1} focal {tot/len(loader):.5f} val AP {average_precision_score(yva, s):.3f} AUC {roc_auc_score(yva, s):.3f} recall {recall_score(yva, (s > 0).int()):.3f}")
rf = RandomForestClassifier(150, random_state=0, n_jobs=1).fit(Xtr, ytr)
print("random forest AP %.3f, base rate %.3f" % (average_precision_score(yva, rf.predict_proba(Xva)[:, 1]), yva.mean()))
