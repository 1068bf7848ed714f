# expect: unshuffled-data
# about: samples listed folder by folder (class by class), loader without shuffle
import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class FolderDataset(Dataset):
    """Like an image folder: samples come class after class."""

    def __init__(self, part):
        d = load_digits()
        self.samples = []
        for c in range(10):
            files = d.images[d.target == c]
            k = int(0.8 * len(files))
            for f in files[:k] if part == "train" else files[k:]:
                self.samples.append((torch.tensor(f).float().flatten() / 16, c))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


train_loader = DataLoader(FolderDataset("train"), batch_size=16, shuffle=False)
val_loader = DataLoader(FolderDataset("val"), batch_size=64)
model = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    c = n = v = 0
    with torch.no_grad():
        for x, y in val_loader:
            o = model(x)
            c, n, v = c + (o.argmax(1) == y).sum().item(), n + len(y), v + criterion(o, y).item() * len(y)
    print(f"epoch {epoch}: last batch loss {loss.item():.4f} val loss {v/n:.4f} val acc {c/n:.3f}")
# cure: - train_loader = DataLoader(FolderDataset("train"), batch_size=16, shuffle=False)
# cure: + train_loader = DataLoader(FolderDataset("train"), batch_size=16, shuffle=True)
