# expect: healthy
# about: kaggle-style tabular net, entity embeddings for soil and region next to numeric columns, BatchNorm and dropout, best epoch kept
import copy

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
np.random.seed(7)
torch.manual_seed(7)


def make_frame(n):
    df = pd.DataFrame(
        {
            "elevation": np.random.normal(2800, 300, n),
            "slope": np.random.gamma(4, 4, n),
            "road_m": np.random.exponential(1500, n),
            "shade_noon": np.random.normal(220, 20, n),
            "soil": np.random.randint(0, 25, n),
            "region": np.random.randint(0, 4, n),
        }
    )
    soil_shift = np.random.RandomState(0).normal(0, 250, 25)
    region_shift = np.array([-150.0, 0.0, 120.0, 260.0])
    wet = df.elevation + soil_shift[df.soil] + region_shift[df.region] - 8 * df.slope + np.random.normal(0, 60, n)
    df["cover"] = np.digitize(wet, [2450, 2700, 2900, 3150])
    return df


df = make_frame(9000)
cat_cols, num_cols = ["soil", "region"], ["elevation", "slope", "road_m", "shade_noon"]
df["road_m"] = np.log1p(df["road_m"])
train, valid = df.iloc[:7500].copy(), df.iloc[7500:].copy()
mu, sd = train[num_cols].mean(), train[num_cols].std()
for part in (train, valid):
    part[num_cols] = (part[num_cols] - mu) / sd


class Rows(Dataset):
    def __init__(self, frame):
        self.cat = torch.from_numpy(frame[cat_cols].to_numpy().copy()).long()
        self.num = torch.from_numpy(frame[num_cols].to_numpy().copy()).float()
        self.y = torch.from_numpy(frame["cover"].to_numpy().copy()).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.cat[i], self.num[i], self.y[i]


class TabNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(25, 8), nn.Embedding(4, 2)])
        self.bn = nn.BatchNorm1d(len(num_cols))
        self.body = nn.Sequential(
            nn.Linear(10 + len(num_cols), 96), nn.ReLU(), nn.BatchNorm1d(96), nn.Dropout(0.1),
            nn.Linear(96, 48), nn.ReLU(), nn.BatchNorm1d(48), nn.Dropout(0.1),
            nn.Linear(48, 5),
        )

    def forward(self, cat, num):
        e = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        return self.body(torch.cat(e + [self.bn(num)], 1))


tl = DataLoader(Rows(train), 128, shuffle=True)
vl = DataLoader(Rows(valid), 512)
model = TabNet()
crit = nn.CrossEntropyLoss()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 14)
best, best_state = 0.0, None
for ep in range(14):
    model.train()
    tr = []
    for c, n, y in tl:
        opt.zero_grad()
        l = crit(model(c, n), y)
        l.backward()
        opt.step()
        tr.append(l.item())
    sch.step()
    model.eval()
    ok, vls = 0, []
    with torch.no_grad():
        for c, n, y in vl:
            o = model(c, n)
            vls.append(crit(o, y).item())
            ok += (o.argmax(1) == y).sum().item()
    acc = ok / len(valid)
    if acc > best:
        best, best_state = acc, copy.deepcopy(model.state_dict())
    print(f"{ep:02d} loss {np.mean(tr):.4f} val_loss {np.mean(vls):.4f} val_acc {acc:.4f}")
model.load_state_dict(best_state)
print(f"best val accuracy {best:.4f} (majority {valid.cover.value_counts(normalize=True).max():.3f})")
