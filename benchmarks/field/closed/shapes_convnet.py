# expect: lr-too-high
# also: dead-relus
# about: small convnet on drawn shapes, SGD with momentum, rate copied from a batch-normalised ResNet recipe
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
torch.manual_seed(0)


class Shapes(Dataset):
    def __init__(self, n, seed):
        r = np.random.RandomState(seed)
        yy, xx = np.mgrid[:16, :16]
        self.items = []
        for _ in range(n):
            k, cx, cy, s = r.randint(3), r.randint(5, 11), r.randint(5, 11), r.randint(3, 5)
            if k == 0:
                im = (xx - cx) ** 2 + (yy - cy) ** 2 <= s * s
            elif k == 1:
                im = (abs(xx - cx) <= s) & (abs(yy - cy) <= s)
            else:
                im = (abs(xx - cx) <= 1) & (abs(yy - cy) <= s) | (abs(yy - cy) <= 1) & (abs(xx - cx) <= s)
            self.items.append(((im + 0.2 * r.randn(16, 16)).astype("float32")[None] - 0.2, k))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.4, momentum=0.9, weight_decay=1e-4)
trainloader = DataLoader(Shapes(800, 0), batch_size=32, shuffle=True)
testset = Shapes(300, 1)
tx, ty = torch.tensor(np.stack([a for a, _ in testset.items])), torch.tensor([b for _, b in testset.items])
for epoch in range(8):
    running = 0.0
    for inputs, labels in trainloader:
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    with torch.no_grad():
        acc = (net(tx).argmax(1) == ty).float().mean().item()
    print("epoch %d loss %.3f test acc %.3f" % (epoch + 1, running / len(trainloader), acc))
# cure: - optimizer = torch.optim.SGD(net.parameters(), lr=0.4, momentum=0.9, weight_decay=1e-4)
# cure: + optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
