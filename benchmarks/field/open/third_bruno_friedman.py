# expect: missing-zero-grad
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score


class CFG:
    seed = 42
    bs = 32
    epochs = 15
    lr = 0.01
    momentum = 0.9


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class TabDataset(Dataset):
    def __init__(self, x, y):
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


def train_fn(loader, model, criterion, optimizer):
    model.train()
    total = 0
    for batch in loader:
        preds = model(batch["x"])
        loss = criterion(preds, batch["y"])
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def valid_fn(loader, model):
    model.eval()
    ps, ys = [], []
    with torch.no_grad():
        for batch in loader:
            ps.append(model(batch["x"]))
            ys.append(batch["y"])
    p, y = torch.cat(ps).numpy(), torch.cat(ys).numpy()
    return r2_score(y, np.nan_to_num(p, nan=0, posinf=1e6, neginf=-1e6))


seed_everything(CFG.seed)
X, Y = make_friedman1(2000, noise=0.5, random_state=1)
X = (X - X[:1500].mean(0)) / X[:1500].std(0)
Y = (Y - Y[:1500].mean()) / Y[:1500].std()
train_loader = DataLoader(TabDataset(X[:1500], Y[:1500]), batch_size=CFG.bs, shuffle=True)
valid_loader = DataLoader(TabDataset(X[1500:], Y[1500:]), batch_size=CFG.bs * 4)
model = Model()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=CFG.lr, momentum=CFG.momentum)
for epoch in range(CFG.epochs):
    avg = train_fn(train_loader, model, criterion, optimizer)
    r2 = valid_fn(valid_loader, model)
    print(f"Epoch {epoch+1} - train loss: {avg:.4f}  val r2: {r2:.4f}")
