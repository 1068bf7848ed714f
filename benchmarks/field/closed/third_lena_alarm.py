# expect: class-imbalance
import torch, torch.nn as nn
from functools import partial
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score, balanced_accuracy_score


class Learner:
    def __init__(self, model, train, valid, opt_fn, loss_fn):
        self.model, self.train, self.valid, self.loss_fn = model, train, valid, loss_fn
        self.opt = opt_fn(model.parameters())
    def one_epoch(self):
        self.model.train(); s = 0
        for x, y in self.train:
            loss = self.loss_fn(self.model(x).squeeze(1), y)
            loss.backward(); self.opt.step(); self.opt.zero_grad(); s += loss.item()
        return s / len(self.train)
    def validate(self):
        self.model.eval()
        with torch.no_grad(): r = [((self.model(x).squeeze(1) > 0).float(), y) for x, y in self.valid]
        p, y = map(torch.cat, zip(*r))
        return (p == y).float().mean().item(), balanced_accuracy_score(y, p), f1_score(y, p, zero_division=0)
    def fit(self, n):
        for e in range(n):
            l = self.one_epoch(); a, b, f = self.validate()
            print(f"{e:2d} loss {l:.4f} accuracy {a:.4f} balanced accuracy {b:.4f} f1 {f:.4f}")


torch.manual_seed(0)
X, y = make_classification(6000, 20, n_informative=5, n_redundant=2, n_clusters_per_class=1, weights=[.97], class_sep=.75, flip_y=.01, random_state=5)
X = torch.tensor((X - X.mean(0)) / X.std(0)).float(); y = torch.tensor(y).float()
train = DataLoader(TensorDataset(X[:4500], y[:4500]), batch_size=64, shuffle=True)
valid = DataLoader(TensorDataset(X[4500:], y[4500:]), batch_size=500)
model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Dropout(.3), nn.Linear(16, 1))
Learner(model, train, valid, partial(torch.optim.AdamW, lr=1e-3, weight_decay=.01), nn.BCEWithLogitsLoss()).fit(12)
