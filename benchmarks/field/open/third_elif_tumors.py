# expect: healthy
import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

torch.manual_seed(5)
X, y = load_breast_cancer(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32); y = torch.tensor(y, dtype=torch.float32)
perm = torch.randperm(len(X)); tr, te = perm[:400], perm[400:]
m, s = X[tr].mean(0), X[tr].std(0)
X = (X - m) / s

net = nn.Sequential(nn.Linear(30, 32), nn.Tanh(), nn.Dropout(0.2), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
ACC = 10
for epoch in range(12):
    net.train()
    run = 0.
    for k, i in enumerate(tr[torch.randperm(len(tr))].tolist()):
        l = F.binary_cross_entropy_with_logits(net(X[i]), y[i:i+1])
        (l / ACC).backward()
        run += l.item()
        if (k + 1) % ACC == 0:
            opt.step(); opt.zero_grad()
    net.eval()
    hits = 0
    for i in te.tolist():
        hits += int((net(X[i]) > 0).item() == bool(y[i]))
    print(epoch, run / len(tr), hits / len(te))
lr = LogisticRegression(max_iter=500).fit(X[tr], y[tr])
print("test acc", hits / len(te), "logreg", lr.score(X[te], y[te]))
