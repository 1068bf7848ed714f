# expect: lr-decays-too-soon
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score


class CFG:
    seed = 0
    bs = 32
    epochs = 20
    lr = 2e-3
    gamma = 0.95


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def train_fn(model, dl, opt, sched, crit):
    model.train()
    losses = []
    for x, y in dl:
        opt.zero_grad()
        loss = crit(model(x).squeeze(1), y)
        loss.backward()
        opt.step()
        sched.step()
        losses.append(loss.item())
    return np.mean(losses)


def valid_fn(model, x, y):
    model.eval()
    with torch.no_grad():
        return r2_score(y.numpy(), model(x).squeeze(1).numpy())


seed_everything(CFG.seed)
X, Y = make_friedman1(2000, noise=0.7, random_state=2)
X = torch.tensor((X - .5) / .29).float()
Y = torch.tensor((Y - Y.mean()) / Y.std()).float()
model = nn.Sequential(nn.Linear(10, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 1))
opt = torch.optim.Adam(model.parameters(), lr=CFG.lr)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=CFG.gamma)
dl = DataLoader(TensorDataset(X[:1500], Y[:1500]), batch_size=CFG.bs, shuffle=True)
for ep in range(CFG.epochs):
    l = train_fn(model, dl, opt, sched, nn.MSELoss())
    print(f"Epoch {ep+1}/{CFG.epochs} loss {l:.4f} r2 {valid_fn(model, X[1500:], Y[1500:]):.4f}")
