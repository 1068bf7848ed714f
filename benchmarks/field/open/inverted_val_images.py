# expect: train-val-mismatch
# about: training transform inverts the scans (white on black), the validation transform does not
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)


class ScanDataset(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


def to_unit(img):
    return img[None] / 16


def train_tf(img):
    img = 1 - to_unit(img)
    return img + 0.05 * torch.randn_like(img)


val_tf = to_unit

d = load_digits()
images, labels = torch.tensor(d.images).float(), torch.tensor(d.target)
p = torch.randperm(len(images))
train_dl = DataLoader(ScanDataset(images[p[:1450]], labels[p[:1450]], train_tf), 50, shuffle=True)
val_dl = DataLoader(ScanDataset(images[p[1450:]], labels[p[1450:]], val_tf), 347)
net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(24 * 16, 10))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
lossf = nn.CrossEntropyLoss()
for epoch in range(8):
    net.train()
    tl = 0
    for x, y in train_dl:
        opt.zero_grad()
        l = lossf(net(x), y)
        l.backward()
        opt.step()
        tl += l.item() / len(train_dl)
    net.eval()
    with torch.no_grad():
        for x, y in val_dl:
            o = net(x)
            print(f"epoch {epoch} train {tl:.4f} val {lossf(o, y).item():.4f} acc {(o.argmax(1) == y).float().mean().item():.4f}")
# cure: - val_tf = to_unit
# cure: + val_tf = lambda img: 1 - to_unit(img)
