# expect: train-val-mismatch
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

CONF = {"batch": 32, "epochs": 30, "lr": 1e-3, "hidden": 48, "seed": 6}
torch.manual_seed(CONF["seed"])
X, y = load_breast_cancer(return_X_y=True)
xa, xb, ya, yb = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
xa, xb = torch.tensor(xa).float(), torch.tensor(xb).float()
MEAN, STD = xa.mean(0), xa.std(0)


class Rows(Dataset):
    def __init__(self, x, y, transform=None):
        self.x, self.y, self.transform = x, torch.tensor(y).float(), transform
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        x = self.x[i]
        return (self.transform(x) if self.transform else x / x.max()), self.y[i]


train = DataLoader(Rows(xa, ya, transform=lambda v: (v - MEAN) / STD), batch_size=CONF["batch"], shuffle=True)
valid = DataLoader(Rows(xb, yb), batch_size=64)
net = nn.Sequential(nn.Linear(30, CONF["hidden"]), nn.ReLU(), nn.Dropout(0.2), nn.Linear(CONF["hidden"], 1))
opt = torch.optim.Adam(net.parameters(), lr=CONF["lr"])
crit = nn.BCEWithLogitsLoss()
for ep in range(CONF["epochs"]):
    net.train(); tl = 0
    for x, t in train:
        opt.zero_grad(); l = crit(net(x).squeeze(1), t); l.backward(); opt.step(); tl += l.item()
    net.eval(); vl = hit = 0
    with torch.no_grad():
        for x, t in valid:
            o = net(x).squeeze(1)
            vl += crit(o, t).item(); hit += ((o > 0) == (t > .5)).sum().item()
    if ep % 3 == 2: print(f"epoch {ep+1} train {tl/len(train):.4f} valid {vl/len(valid):.4f} acc {hit/len(yb):.4f}")
