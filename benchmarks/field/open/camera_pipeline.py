# expect: train-val-mismatch
from dataclasses import dataclass
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


@dataclass
class Cfg:
    epochs: int = 15
    lr: float = 2e-3
    bs: int = 64
    seed: int = 6


class DigitImages(Dataset):
    def __init__(self, images, labels, augment=False):
        self.images, self.labels, self.augment = images, labels, augment
        self.mean, self.std = 4.9, 6.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = self.images[i].astype("float32")
        if self.augment:
            img = np.roll(img, np.random.randint(-1, 2), axis=np.random.randint(0, 2))
            img = (img - self.mean) / self.std
        return torch.from_numpy(img.copy()).unsqueeze(0), int(self.labels[i])


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(32 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(self.drop(x.flatten(1)))


def main(cfg):
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    d = load_digits()
    p = np.random.permutation(len(d.target))
    tr, va = p[:1350], p[1350:]
    train_dl = DataLoader(DigitImages(d.images[tr], d.target[tr], augment=True), cfg.bs, shuffle=True)
    val_dl = DataLoader(DigitImages(d.images[va], d.target[va]), cfg.bs)
    model = ConvNet()
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for ep in range(cfg.epochs):
        model.train()
        tl = 0.0
        for x, y in train_dl:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tl += loss.item() * len(y) / len(tr)
        model.eval()
        vl = hits = 0.0
        with torch.no_grad():
            for x, y in val_dl:
                o = model(x)
                vl += F.cross_entropy(o, y, reduction="sum").item() / len(va)
                hits += (o.argmax(1) == y).sum().item() / len(va)
        print(f"epoch {ep:2d} train {tl:.3f} | val {vl:.3f} acc {hits:.3f}")


main(Cfg())
