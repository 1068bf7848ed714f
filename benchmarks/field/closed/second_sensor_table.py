# expect: nonfinite-data
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

np.random.seed(1)
torch.manual_seed(1)

raw = load_breast_cancer(as_frame=True).frame
# a few machines did not report every measurement
drop = np.random.rand(len(raw)) < 0.05
raw.loc[drop, "mean texture"] = np.nan
train_df, val_df = train_test_split(raw, test_size=0.25, random_state=1, stratify=raw["target"])


def prepare(df, ref):
    x = df.drop(columns="target")
    r = ref.drop(columns="target")
    x = (x - r.mean()) / r.std()
    return x.to_numpy("float32"), df["target"].to_numpy("float32")


class TableDataset(Dataset):
    def __init__(self, df, ref):
        self.x, self.y = prepare(df, ref)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), torch.tensor(self.y[i])


train_dl = DataLoader(TableDataset(train_df, train_df), batch_size=32, shuffle=True)
val_dl = DataLoader(TableDataset(val_df, train_df), batch_size=64)
model = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()

for epoch in range(40):
    model.train()
    for x, y in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step()
    model.eval()
    ps, ys = [], []
    with torch.no_grad():
        for x, y in val_dl:
            ps.append(torch.sigmoid(model(x).squeeze(1)))
            ys.append(y)
    p, t = torch.cat(ps), torch.cat(ys)
    acc = ((p > 0.5).float() == t).float().mean()
    if epoch % 4 == 3:
        print(f"epoch {epoch+1}: train loss {loss.item():.4f}, val acc {acc:.4f}")
