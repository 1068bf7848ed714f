# expect: lr-decays-too-soon
# also: lr-too-low, undertrained
import random
import warnings
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")


class CFG:
    seed = 1337
    n_folds = 3
    epochs = 10
    batch_size = 32
    lr = 2e-2
    gamma = 0.7
    hidden = 96


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def train_one_epoch(model, loader, criterion, optimizer, scheduler):
    model.train()
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


def valid_one_epoch(model, loader):
    model.eval()
    preds = []
    with torch.no_grad():
        for x, _ in loader:
            preds.append(model(x).sigmoid().squeeze(1))
    return torch.cat(preds).numpy()


def main():
    X, y = make_classification(3000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=8, class_sep=1.2,
                               random_state=0, flip_y=0.01)
    X, y = X.astype("float32"), y.astype("float32")
    oof = np.zeros(len(y))
    for fold, (a, b) in enumerate(StratifiedKFold(CFG.n_folds, shuffle=True, random_state=CFG.seed).split(X, y)):
        seed_everything(CFG.seed + fold)
        mu, sd = X[a].mean(0), X[a].std(0)
        ds = lambda i: TensorDataset(torch.tensor((X[i] - mu) / sd), torch.tensor(y[i]))
        tl, vl = DataLoader(ds(a), CFG.batch_size, shuffle=True), DataLoader(ds(b), 512)
        model = nn.Sequential(nn.Linear(20, CFG.hidden), nn.ReLU(), nn.Linear(CFG.hidden, CFG.hidden), nn.ReLU(),
                              nn.Linear(CFG.hidden, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=CFG.lr, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=CFG.gamma)
        for ep in range(CFG.epochs):
            tr = train_one_epoch(model, tl, nn.BCEWithLogitsLoss(), optimizer, scheduler)
            p = valid_one_epoch(model, vl)
            print(f"fold {fold} epoch {ep} loss {tr:.4f} auc {roc_auc_score(y[b], p):.4f}")
        oof[b] = p
    print("=" * 30)
    print("OOF AUC", roc_auc_score(y, oof))


if __name__ == "__main__":
    main()
