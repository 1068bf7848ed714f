# expect: class-imbalance
# also: wrong-loss
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(40)
# screening data: 2 % of the patients have the condition
X, y = make_classification(9000, 12, n_informative=6, n_redundant=2, weights=[0.98], flip_y=0.0, class_sep=0.7,
                           n_clusters_per_class=1, random_state=45)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.3, stratify=y, random_state=40)
scaler = StandardScaler().fit(Xtr)
Xtr = torch.tensor(scaler.transform(Xtr), dtype=torch.float32)
Xva = torch.tensor(scaler.transform(Xva), dtype=torch.float32)
ytr_t, yva_t = torch.tensor(ytr).float(), torch.tensor(yva).float()


class Screener(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


model = Screener()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for epoch in range(20):
    model.train()
    running = []
    for idx in torch.randperm(len(Xtr)).split(128):
        optimizer.zero_grad()
        loss = criterion(model(Xtr[idx]), ytr_t[idx])
        loss.backward()
        optimizer.step()
        running.append(loss.item())
    model.eval()
    with torch.no_grad():
        logits = model(Xva)
    pred = (logits > 0).numpy().astype(int)
    if epoch % 3 == 0 or epoch == 19:
        print(f"epoch {epoch:2d} loss {np.mean(running):.4f} val loss {criterion(logits, yva_t):.4f} acc {np.mean(pred == yva):.4f}")
print("sensitivity %.3f  balanced accuracy %.3f" % (recall_score(yva, pred), balanced_accuracy_score(yva, pred)))
