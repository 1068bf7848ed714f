# expect: unshuffled-data
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class FolderLike(Dataset):
    """Same layout as an image folder."""

    def __init__(self, images, labels):
        self.items = []
        for c in np.unique(labels):
            self.items += [(images[i], c) for i in np.flatnonzero(labels == c)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, c = self.items[i]
        return torch.from_numpy(img).float().unsqueeze(0) / 16.0, int(c)


class Trainer:
    def __init__(self, model, train_set, val_set, batch_size=32, lr=0.02, epochs=15):
        self.model = model
        self.train_loader = DataLoader(train_set, batch_size=batch_size)
        self.val_loader = DataLoader(val_set, batch_size=100)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.crit = nn.CrossEntropyLoss()
        self.epochs = epochs

    def run(self):
        for e in range(self.epochs):
            self.model.train()
            tot = 0
            for x, y in self.train_loader:
                self.opt.zero_grad()
                loss = self.crit(self.model(x), y)
                loss.backward()
                self.opt.step()
                tot += loss.item()
            self.model.eval()
            hit = n = 0
            with torch.no_grad():
                for x, y in self.val_loader:
                    hit += (self.model(x).argmax(1) == y).sum().item()
                    n += len(y)
            print(f"epoch={e} loss={tot/len(self.train_loader):.4f} val_acc={hit/n:.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    d = load_digits()
    a, b, ya, yb = train_test_split(d.images, d.target, test_size=0.25, random_state=0, stratify=d.target)
    net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
    Trainer(net, FolderLike(a, ya), FolderLike(b, yb)).run()
