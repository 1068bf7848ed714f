# expect: lr-decays-too-soon
# about: StepLR meant per epoch is stepped inside the batch loop
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.b1, self.b2 = nn.BatchNorm2d(c), nn.BatchNorm2d(c)

    def forward(self, x):
        return F.relu(x + self.b2(self.c2(F.relu(self.b1(self.c1(x))))))


net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), ResBlock(12), nn.MaxPool2d(2), ResBlock(12), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 10))
d = load_digits()
x, y = torch.tensor(d.images).float().unsqueeze(1) / 8 - 1, torch.tensor(d.target)
perm = torch.randperm(len(x))
train_loader = DataLoader(TensorDataset(x[perm[:1400]], y[perm[:1400]]), batch_size=50, shuffle=True)
val_loader = DataLoader(TensorDataset(x[perm[1400:]], y[perm[1400:]]), batch_size=200)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.3)
for epoch in range(8):
    net.train()
    for images, targets in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(images), targets)
        loss.backward()
        optimizer.step()
        scheduler.step()
    net.eval()
    vl, c = 0, 0
    with torch.no_grad():
        for images, targets in val_loader:
            o = net(images)
            vl += F.cross_entropy(o, targets, reduction="sum").item() / 397
            c += (o.argmax(1) == targets).sum().item() / 397
    print(f"epoch {epoch} lr {scheduler.get_last_lr()[0]:.2e} loss {loss.item():.4f} val {vl:.4f} acc {c:.4f}")
# cure: - scheduler.step()
# cure: + pass
# cure: - net.eval()
# cure: + scheduler.step()
# cure: + net.eval()
