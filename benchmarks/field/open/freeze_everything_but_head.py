# expect: frozen-layers
# about: freezing recipe of transfer learning applied to a network that was never trained
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X = torch.tensor(d.images).float().unsqueeze(1) / 16
y = torch.tensor(d.target)
train_dl = DataLoader(TensorDataset(X[:1400], y[:1400]), 32, shuffle=True)


class SmallVGG(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Linear(16, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


model = SmallVGG()
TRAIN_BACKBONE = False
for param in model.features.parameters():
    param.requires_grad = TRAIN_BACKBONE
optimizer = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=1e-2)
for epoch in range(15):
    model.train()
    s = 0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
        s += loss.item()
    model.eval()
    with torch.no_grad():
        o = model(X[1400:])
    print(f"epoch {epoch} train {s / len(train_dl):.4f} val {nn.functional.cross_entropy(o, y[1400:]).item():.4f} acc {(o.argmax(1) == y[1400:]).float().mean():.3f}")
# cure: - TRAIN_BACKBONE = False
# cure: + TRAIN_BACKBONE = True
