# expect: over-regularized
# about: digits with augmentation that rotates, erases most of the image and adds heavy noise
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class AugmentedDigits(Dataset):
    def __init__(self, x, y, train):
        self.x, self.y, self.train = x, y, train

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        img = self.x[i]
        if self.train:
            img = self.augment(img)
        return img, self.y[i]

    def augment(self, img):
        noise = 1.5
        img = img + noise * torch.randn_like(img)
        if torch.rand(()) < 0.9:
            r, c = torch.randint(0, 4, (2,))
            img = img.clone()
            img[:, r : r + 5, c : c + 5] = 0
        return torch.rot90(img, int(torch.randint(0, 4, ())), (1, 2))


d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
tl = DataLoader(AugmentedDigits(x[:1440], y[:1440], True), batch_size=48, shuffle=True)
vl = DataLoader(AugmentedDigits(x[1440:], y[1440:], False), batch_size=400)
net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
lossf = nn.CrossEntropyLoss()
for epoch in range(12):
    net.train()
    s = 0
    for xb, yb in tl:
        opt.zero_grad()
        l = lossf(net(xb), yb)
        l.backward()
        opt.step()
        s += l.item()
    net.eval()
    with torch.no_grad():
        xb, yb = next(iter(vl))
        o = net(xb)
    print(f"epoch {epoch}: train loss {s / len(tl):.3f}, val loss {lossf(o, yb).item():.3f}, val acc {(o.argmax(1) == yb).float().mean():.3f}")
# cure: - img = self.augment(img)
# cure: + img = img + 0.05 * torch.randn_like(img)
