# expect: eval-mode-missing
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.3))
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(256, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 10))

    def forward(self, x):
        return self.fc(self.features(x))


class Trainer:
    def __init__(self, model, train_dl, val_dl, lr=2e-3, epochs=15):
        self.model = model
        self.train_dl = train_dl
        self.val_dl = val_dl
        self.epochs = epochs
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.crit = nn.CrossEntropyLoss()

    def train_epoch(self):
        tot = 0
        for x, y in self.train_dl:
            self.opt.zero_grad()
            loss = self.crit(self.model(x), y)
            loss.backward()
            self.opt.step()
            tot += loss.item()
        return tot / len(self.train_dl)

    @torch.no_grad()
    def validate(self):
        hit = n = 0
        loss = 0
        for x, y in self.val_dl:
            o = self.model(x)
            loss += self.crit(o, y).item() * len(y)
            hit += (o.argmax(1) == y).sum().item()
            n += len(y)
        return loss / n, hit / n

    def fit(self):
        self.model.train()
        for e in range(self.epochs):
            t = self.train_epoch()
            v, a = self.validate()
            print(f"[{e}] train_loss={t:.4f} val_loss={v:.4f} val_acc={a:.4f}")


if __name__ == "__main__":
    torch.manual_seed(8)
    d = load_digits()
    x = torch.tensor(d.images).float()[:, None] / 16
    y = torch.tensor(d.target)
    i = torch.randperm(len(x))
    tr = DataLoader(TensorDataset(x[i[:1300]], y[i[:1300]]), batch_size=32, shuffle=True)
    va = DataLoader(TensorDataset(x[i[1300:]], y[i[1300:]]), batch_size=4)
    Trainer(Classifier(), tr, va).fit()
