# expect: dead-relus
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class CFG:
    seed = 5
    bs = 32
    epochs = 15
    lr = 1e-3
    hidden = 128
    bias = -2.0


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, CFG.hidden)
        self.fc2 = nn.Linear(CFG.hidden, CFG.hidden)
        self.fc3 = nn.Linear(CFG.hidden, 10)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
            nn.init.constant_(m.bias, CFG.bias)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


seed_everything(CFG.seed)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.25, random_state=CFG.seed)
train_dl = DataLoader(TensorDataset(torch.tensor(Xtr), torch.tensor(ytr)), batch_size=CFG.bs, shuffle=True)
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=CFG.lr)
crit = nn.CrossEntropyLoss()
for ep in range(CFG.epochs):
    model.train()
    losses = []
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        acc = (model(torch.tensor(Xva)).argmax(1).numpy() == yva).mean()
    print(f"Epoch {ep} loss {np.mean(losses):.4f} acc {acc:.4f}")
