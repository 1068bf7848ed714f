# expect: unscaled-inputs
# about: uint8 pixels (0-255) cast to float and fed to a CNN trained with momentum SGD
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
raw = load_digits()
pixels = np.clip(raw.images * 16, 0, 255).astype(np.uint8)


class PixelSet(Dataset):
    def __init__(self, lo, hi):
        self.x, self.y = pixels[lo:hi], raw.target[lo:hi]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, k):
        img = torch.from_numpy(self.x[k]).float()
        return img.unsqueeze(0), int(self.y[k])


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 12, 3, padding=1), nn.Conv2d(12, 24, 3, padding=1)
        self.f = nn.Linear(24 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.f(x.flatten(1))


train, test = DataLoader(PixelSet(0, 1400), batch_size=64, shuffle=True), DataLoader(PixelSet(1400, 1797), batch_size=397)
model = Cnn()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for ep in range(12):
    model.train()
    for x, y in train:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(test))
        o = model(x)
        print(f"Epoch {ep + 1}: loss {loss.item():.4f} test {F.cross_entropy(o, y).item():.4f} accuracy {100 * (o.argmax(1) == y).float().mean().item():.1f}%")
# cure: - img = torch.from_numpy(self.x[k]).float()
# cure: + img = torch.from_numpy(self.x[k]).float() / 255
