# expect: noisy-labels
# about: features and labels are shuffled separately
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)
wine = load_wine()
feats = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
labels = wine.target.copy()
order = rng.permutation(len(feats))
feats = feats[order]
labels = labels[rng.permutation(len(labels))]

n_train = 130
Xtr, ytr = torch.from_numpy(feats[:n_train]).float(), torch.from_numpy(labels[:n_train])
Xva, yva = torch.from_numpy(feats[n_train:]).float(), torch.from_numpy(labels[n_train:])
model = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(30):
    model.train()
    for b in torch.randperm(n_train).split(13):
        opt.zero_grad()
        loss = ce(model(Xtr[b]), ytr[b])
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        if epoch % 3 == 2:
            o = model(Xva)
            print(f"epoch {epoch+1} train {ce(model(Xtr), ytr).item():.4f} val {ce(o, yva).item():.4f} val acc {(o.argmax(1) == yva).float().mean():.3f}")
# cure: - labels = labels[rng.permutation(len(labels))]
# cure: + labels = labels[order]
