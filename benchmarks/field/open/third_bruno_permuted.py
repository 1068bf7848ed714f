# expect: healthy
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.metrics import accuracy_score


class CFG:
    seed = 42
    rank = 6
    alpha = 12
    batch_size = 32
    base_epochs = 8
    epochs = 15
    lr = 3e-3


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class DigitsDataset(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.tensor(self.x[i], dtype=torch.float32), torch.tensor(self.y[i])


class RankLinear(nn.Module):
    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.A.t() @ self.B.t()) * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc2 = nn.Linear(128, 128)
        self.out = nn.Linear(128, 10)
        self.act = nn.GELU()

    def forward(self, x):
        return self.out(self.act(self.fc2(self.act(self.fc1(x)))))


def train_fn(model, loader, optimizer, criterion):
    model.train()
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses)


@torch.no_grad()
def valid_fn(model, loader):
    model.eval()
    preds, ys = [], []
    for x, y in loader:
        preds.append(model(x).argmax(1).numpy())
        ys.append(y.numpy())
    return accuracy_score(np.concatenate(ys), np.concatenate(preds))


seed_everything(CFG.seed)
digits = load_digits()
x, y = digits.data / 16.0, digits.target
tr, va = next(StratifiedKFold(4, shuffle=True, random_state=0).split(x, y))
perm = np.random.permutation(64)
dl = lambda a, b, s: DataLoader(DigitsDataset(a, b), batch_size=CFG.batch_size, shuffle=s)
criterion = nn.CrossEntropyLoss()

model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for ep in range(CFG.base_epochs):
    l = train_fn(model, dl(x[tr], y[tr], True), opt, criterion)
    print(f"base {ep} loss {l:.4f} acc {valid_fn(model, dl(x[va], y[va], False)):.4f}")

# adapt to permuted pixels
xp = x[:, perm]
print("before adaptation:", valid_fn(model, dl(xp[va], y[va], False)))
for p in model.parameters():
    p.requires_grad_(False)
model.fc1 = RankLinear(model.fc1, CFG.rank * 4, CFG.alpha * 4)
model.fc2 = RankLinear(model.fc2, CFG.rank, CFG.alpha)
model.out = RankLinear(model.out, CFG.rank, CFG.alpha)
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=CFG.lr)
for ep in range(CFG.epochs):
    l = train_fn(model, dl(xp[tr], y[tr], True), opt, criterion)
    print(f"adapt {ep} loss {l:.4f} acc {valid_fn(model, dl(xp[va], y[va], False)):.4f}")
