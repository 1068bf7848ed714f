# expect: init-too-small
# also: vanishing-gradients
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class CFG:
    seed = 1
    bs = 32
    epochs = 15
    lr = 0.05
    init_std = 0.01
    hidden = 64
    layers = 6


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [64] + [CFG.hidden] * CFG.layers
        self.hidden = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])])
        self.out = nn.Linear(CFG.hidden, 10)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=CFG.init_std)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        for h in self.hidden:
            x = torch.relu(h(x))
        return self.out(x)


seed_everything(CFG.seed)
X, y = load_digits(return_X_y=True)
X = ((X - X.mean()) / X.std()).astype(np.float32)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.25, random_state=0)
dl = DataLoader(TensorDataset(torch.tensor(Xtr), torch.tensor(ytr)), batch_size=CFG.bs, shuffle=True)
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=CFG.lr, momentum=0.9)
crit = nn.CrossEntropyLoss()
for ep in range(CFG.epochs):
    losses = []
    for xb, yb in dl:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    with torch.no_grad():
        acc = (model(torch.tensor(Xva)).argmax(1).numpy() == yva).mean()
    print(f"Epoch {ep} loss {np.mean(losses):.4f} acc {acc:.4f}")
