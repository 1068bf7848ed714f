# expect: noisy-labels
# about: landmark regression with random horizontal flips as augmentation
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(56)
torch.set_num_threads(1)
yy, xx = torch.meshgrid(torch.linspace(-1, 1, 20), torch.linspace(-1, 1, 20), indexing="ij")


class Faces(Dataset):
    def __init__(self, n, augment):
        self.pt = torch.rand(n, 2) * 1.4 - 0.7
        d = (yy - self.pt[:, 1, None, None]) ** 2 + (xx - self.pt[:, 0, None, None]) ** 2
        self.img = torch.exp(-d / 0.03) + 0.2 * torch.randn(n, 20, 20)
        self.augment = augment

    def __len__(self):
        return len(self.pt)

    def __getitem__(self, i):
        img, pt = self.img[i], self.pt[i].clone()
        if self.augment and torch.rand(()) < 0.5:
            img = img.flip(-1)
        return img.unsqueeze(0), pt


train = DataLoader(Faces(1000, True), batch_size=25, shuffle=True)
val_set = Faces(300, False)
vi, vp = val_set.img.unsqueeze(1), val_set.pt
net = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(400, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(12):
    tot = 0.0
    for img, pt in train:
        loss = nn.functional.mse_loss(net(img), pt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        e = (net(vi) - vp).abs().mean(0)
    print(f"epoch {epoch + 1} mse {tot / 40:.4f} val error x {e[0]:.3f} y {e[1]:.3f}")
# cure: - img = img.flip(-1)
# cure: + img = img.flip(-1)
# cure: + pt[0] = -pt[0]
