# expect: noisy-labels
# about: images written as frame_0.npy .. frame_N.npy, read back with sorted(glob) and paired with labels by row number
import glob
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
torch.manual_seed(10)
root = tempfile.mkdtemp()
digits = load_digits()
order = np.random.RandomState(0).permutation(len(digits.images))[:1500]
for n, i in enumerate(order):
    np.save(os.path.join(root, f"frame_{n}.npy"), digits.images[i].astype(np.float32))
np.savetxt(os.path.join(root, "labels.csv"), digits.target[order], fmt="%d")


class FrameFolder(Dataset):
    def __init__(self, root, train=True):
        files = sorted(glob.glob(os.path.join(root, "frame_*.npy")))
        labels = np.loadtxt(os.path.join(root, "labels.csv"), dtype=int)
        cut = slice(0, 1200) if train else slice(1200, None)
        self.x = np.stack([np.load(f) for f in files])[cut] / 8.0 - 1.0
        self.y = labels[cut]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i])[None].float(), int(self.y[i])


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 12, 3, padding=1), nn.Conv2d(12, 24, 3, padding=1)
        self.fc = nn.Linear(24 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(x.flatten(1))


tr, va = DataLoader(FrameFolder(root), 40, shuffle=True), DataLoader(FrameFolder(root, False), 300)
model = SmallCNN()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    tot = 0.0
    for x, y in tr:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / len(tr)
    x, y = next(iter(va))
    with torch.no_grad():
        o = model(x)
    print(f"{epoch} train {tot:.3f} val {F.cross_entropy(o, y).item():.3f} acc {(o.argmax(1) == y).float().mean().item():.3f}")
# cure: - files = sorted(glob.glob(os.path.join(root, "frame_*.npy")))
# cure: + files = sorted(glob.glob(os.path.join(root, "frame_*.npy")), key=lambda f: int(f.split("_")[-1][:-4]))
