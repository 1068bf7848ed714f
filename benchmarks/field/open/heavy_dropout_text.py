# expect: healthy
import inspect, random, re
import logging.handlers, argparse, statistics, fractions, tarfile, zipfile
import numpy as np
import torch
import torch.nn as nn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

# which stdlib module does a 6-line snippet come from?
random.seed(1)
torch.manual_seed(1)
mods = [argparse, statistics, fractions, tarfile, zipfile, logging]
texts, labels = [], []
for k, m in enumerate(mods):
    lines = [l for l in inspect.getsource(m).split("\n") if len(l.strip()) > 3]
    for i in range(0, len(lines) - 6, 6):
        texts.append(" ".join(lines[i:i + 6]))
        labels.append(k)
tr, va, ytr, yva = train_test_split(texts, labels, test_size=0.25, random_state=1, stratify=labels)
vec = TfidfVectorizer(token_pattern=r"[A-Za-z_]{2,}", max_features=1500, sublinear_tf=True).fit(tr)
Xtr = torch.tensor(vec.transform(tr).toarray(), dtype=torch.float32)
Xva = torch.tensor(vec.transform(va).toarray(), dtype=torch.float32)
ytr, yva = torch.tensor(ytr), torch.tensor(yva)
print(Xtr.shape, np.bincount(ytr.numpy()))

net = nn.Sequential(nn.Dropout(0.5), nn.Linear(Xtr.shape[1], 128), nn.ReLU(), nn.Dropout(0.8), nn.Linear(128, 6))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
crit = nn.CrossEntropyLoss()
for ep in range(20):
    net.train()
    s = 0
    for idx in torch.randperm(len(Xtr)).split(32):
        loss = crit(net(Xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(idx)
    net.eval()
    with torch.no_grad():
        o = net(Xva)
    if ep % 2 == 1:
        print(f"epoch {ep+1:2d} train loss {s/len(Xtr):.3f} val loss {crit(o, yva):.3f} val acc {(o.argmax(1) == yva).float().mean():.3f}")
lr = LogisticRegression(C=10, max_iter=2000).fit(Xtr.numpy(), ytr.numpy())
print("logistic regression acc %.3f" % lr.score(Xva.numpy(), yva.numpy()))
