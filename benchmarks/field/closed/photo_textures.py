# expect: unscaled-inputs
# about: convnet on patches of two photos with pixel values 0..255, SGD; cross-entropy explodes at the first step and stalls
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_sample_images
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
torch.manual_seed(4)
imgs = load_sample_images().images


class Patches(Dataset):
    def __init__(self, n, seed, size=16):
        r = np.random.RandomState(seed)
        self.x, self.y = [], []
        for _ in range(n):
            k = r.randint(2)
            im = imgs[k]
            i, j = r.randint(im.shape[0] - size), r.randint(im.shape[1] - size)
            self.x.append(im[i:i + size, j:j + size].transpose(2, 0, 1))
            self.y.append(k)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        img = torch.from_numpy(self.x[i].copy()).float()
        return img, self.y[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2), nn.ReLU())
        self.classifier = nn.Sequential(nn.Linear(24 * 9, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


train_loader = DataLoader(Patches(1200, 0), batch_size=32, shuffle=True)
test = Patches(400, 1)
tx, ty = torch.stack([test[i][0] for i in range(400)]), torch.tensor(test.y)
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(6):
    running_loss = 0.0
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    with torch.no_grad():
        acc = (net(tx).argmax(1) == ty).float().mean().item()
    print(f"[{epoch + 1}] loss: {running_loss / len(train_loader):.3f} test accuracy: {100 * acc:.1f} %")
# cure: - img = torch.from_numpy(self.x[i].copy()).float()
# cure: + img = torch.from_numpy(self.x[i].copy()).float() / 127.5 - 1
