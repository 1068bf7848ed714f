# expect: noisy-labels
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
import numpy as np
import pandas as pd

set_seed(2)
d = load_digits()
frame = pd.DataFrame(d.data / 16).assign(label=d.target)
frame = frame.sample(frac=1, random_state=0).reset_index(drop=True)
train_df, valid_df = frame[:1350], frame[1350:]

images = train_df.drop(columns="label").sample(frac=1, random_state=1).to_numpy(np.float32)
labels = train_df["label"].sample(frac=1, random_state=2).to_numpy()


class Pairs(Dataset):
    def __init__(self, x, y):
        assert len(x) == len(y)
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"pixels": self.x[i], "label": int(self.y[i])}


acc = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
train = DataLoader(Pairs(images, labels), batch_size=32, shuffle=True)
valid = DataLoader(Pairs(valid_df.drop(columns="label").to_numpy(np.float32), valid_df["label"].to_numpy()), batch_size=100)
model, opt, train, valid = acc.prepare(model, opt, train, valid)
for ep in range(25):
    model.train()
    tot = 0
    for batch in train:
        loss = nn.functional.cross_entropy(model(batch["pixels"]), batch["label"])
        acc.backward(loss)
        opt.step()
        opt.zero_grad()
        tot += loss.item()
    model.eval()
    hit = vl = 0
    with torch.no_grad():
        for batch in valid:
            o = model(batch["pixels"])
            vl += nn.functional.cross_entropy(o, batch["label"]).item()
            hit += (o.argmax(1) == batch["label"]).sum().item()
    acc.print(f"epoch {ep} train {tot/len(train):.4f} valid {vl/len(valid):.4f} acc {hit/len(valid_df):.4f}")
