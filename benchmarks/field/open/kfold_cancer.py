# expect: healthy
# about: 5-fold cross-validation in one script: a new model and optimizer for each fold, so the loss restarts four times
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(1234)
X, y = load_breast_cancer(return_X_y=True)


def make_model():
    return nn.Sequential(nn.Linear(30, 24), nn.ReLU(), nn.Dropout(0.25), nn.Linear(24, 1))


def run_fold(train_idx, val_idx):
    mean, std = X[train_idx].mean(0), X[train_idx].std(0)
    ds = TensorDataset(torch.tensor((X - mean) / std, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None])
    train, val = DataLoader(Subset(ds, train_idx), 32, shuffle=True), DataLoader(Subset(ds, val_idx), 128)
    model = make_model()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    lossf = nn.BCEWithLogitsLoss()
    for epoch in range(15):
        model.train()
        for xb, yb in train:
            opt.zero_grad()
            loss = lossf(model(xb), yb)
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        out = [(model(xb), yb) for xb, yb in val]
    logits, truth = torch.cat([o for o, _ in out]), torch.cat([t for _, t in out])
    return lossf(logits, truth).item(), ((logits > 0).float() == truth).float().mean().item()


scores = []
for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)):
    vl, acc = run_fold(tr.tolist(), va.tolist())
    scores.append(acc)
    print(f"fold {fold}: val loss {vl:.4f} accuracy {acc:.4f}")
print(f"cv accuracy {np.mean(scores):.4f} +- {np.std(scores):.4f}")
