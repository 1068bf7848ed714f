# expect: noisy-labels
# about: image files named scan_0, scan_1, ... in a folder and a label table next to it
import csv
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset, Subset

torch.manual_seed(54)
torch.set_num_threads(1)
folder = tempfile.mkdtemp()
digits = load_digits()
for i, im in enumerate(digits.images[:1200]):
    np.save(os.path.join(folder, f"scan_{i}.npy"), im.astype(np.float32))
with open(os.path.join(folder, "labels.csv"), "w", newline="") as f:
    csv.writer(f).writerows([[i, int(t)] for i, t in enumerate(digits.target[:1200])])


class Scans(Dataset):
    def __init__(self, root):
        self.files = sorted(p for p in os.listdir(root) if p.endswith(".npy"))
        with open(os.path.join(root, "labels.csv")) as f:
            self.labels = [int(row[1]) for row in csv.reader(f)]
        self.images = [torch.from_numpy(np.load(os.path.join(root, p))) / 16 for p in self.files]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.images[i].unsqueeze(0), self.labels[i]


scans = Scans(folder)
split = torch.randperm(1200).tolist()
train, valid = Subset(scans, split[:1000]), Subset(scans, split[1000:])
net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    tot = 0.0
    for a, b in DataLoader(train, batch_size=40, shuffle=True):
        loss = nn.functional.cross_entropy(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    a, b = next(iter(DataLoader(valid, batch_size=200)))
    with torch.no_grad():
        print(f"epoch {epoch + 1} loss {tot / 25:.3f} val acc {(net(a).argmax(1) == b).float().mean():.3f}")
# cure: - self.files = sorted(p for p in os.listdir(root) if p.endswith(".npy"))
# cure: + self.files = sorted((p for p in os.listdir(root) if p.endswith(".npy")), key=lambda p: int(p[5:-4]))
