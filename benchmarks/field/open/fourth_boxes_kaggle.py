# expect: healthy
import os, random
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class CFG:
    seed = 77
    img = 24
    n_train, n_val = 1500, 300
    epochs = 7
    lr = 3e-3
    box_w = 5.0


def seed_everything(s=CFG.seed):
    random.seed(s); np.random.seed(s); torch.manual_seed(s)


class Shapes(Dataset):
    def __init__(self, n, seed):
        r = np.random.RandomState(seed)
        self.x = r.randn(n, 1, CFG.img, CFG.img).astype("f4") * 0.2
        self.c = r.randint(0, 3, n)
        self.b = np.zeros((n, 4), "f4")
        for k in range(n):
            w, h = r.randint(6, 12, 2)
            x0, y0 = r.randint(0, CFG.img - w), r.randint(0, CFG.img - h)
            patch = np.ones((h, w), "f4")
            if self.c[k] == 1:
                patch[2:-2, 2:-2] = 0
            elif self.c[k] == 2:
                patch[::2] = 0
            self.x[k, 0, y0:y0 + h, x0:x0 + w] += patch
            self.b[k] = np.array([x0 + w / 2, y0 + h / 2, w, h]) / CFG.img

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.b[i], self.c[i]


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        layers, c = [], 1
        for o in (16, 32, 48):
            layers += [nn.Conv2d(c, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2)]
            c = o
        self.body = nn.Sequential(*layers, nn.Flatten())
        self.box = nn.Sequential(nn.Linear(48 * 9, 64), nn.ReLU(), nn.Linear(64, 4), nn.Sigmoid())
        self.cls = nn.Linear(48 * 9, 3)

    def forward(self, x):
        f = self.body(x)
        return self.box(f), self.cls(f)


def iou(a, b):
    lo = torch.max(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2)
    hi = torch.min(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
    inter = (hi - lo).clamp(min=0).prod(1)
    return inter / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - inter)


seed_everything()
dl_t = DataLoader(Shapes(CFG.n_train, 0), 64, shuffle=True)
dl_v = DataLoader(Shapes(CFG.n_val, 1), 300)
model = Detector()
opt = torch.optim.Adam(model.parameters(), lr=CFG.lr)
for e in range(CFG.epochs):
    model.train()
    for x, b, c in dl_t:
        pb, pc = model(x)
        loss = CFG.box_w * nn.functional.smooth_l1_loss(pb, b, beta=0.1) + nn.functional.cross_entropy(pc, c)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, b, c in dl_v:
            pb, pc = model(x)
            miou, acc = iou(pb, b).mean().item(), (pc.argmax(1) == c).float().mean().item()
    print(f"[{e}] loss={loss.item():.4f} val_iou={miou:.4f} val_acc={acc:.4f}")
