# expect: train-mode-missing
# about: trainer runs a sanity validation before training and never leaves eval mode; deep batch-norm MLP learns with initial statistics
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(13)


def make_net(depth=10, width=48):
    layers = [nn.Linear(12, width), nn.BatchNorm1d(width), nn.Sigmoid()]
    for _ in range(depth - 2):
        layers += [nn.Linear(width, width), nn.BatchNorm1d(width), nn.Sigmoid()]
    return nn.Sequential(*layers, nn.Linear(width, 5))


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=3e-3):
        self.model, self.train_loader, self.val_loader = model, train_loader, val_loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def validate(self):
        self.model.eval()
        loss, right, n = 0.0, 0, 0
        with torch.no_grad():
            for x, y in self.val_loader:
                out = self.model(x)
                loss += self.criterion(out, y).item() * len(y)
                right += (out.argmax(1) == y).sum().item()
                n += len(y)
        return loss / n, right / n

    def train_epoch(self):
        total = 0.0
        for x, y in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.train_loader)

    def fit(self, epochs):
        print("sanity check: val loss %.4f acc %.3f" % self.validate())
        for e in range(epochs):
            tr = self.train_epoch()
            print(f"epoch {e + 1}: train {tr:.4f} val %.4f acc %.3f" % self.validate())


centers = 2.2 * torch.randn(15, 12) / 2
lab = torch.randint(15, (2400,))
X, Y = centers[lab] + 0.5 * torch.randn(2400, 12), lab % 5
Trainer(make_net(), DataLoader(TensorDataset(X[:2000], Y[:2000]), 50, shuffle=True), DataLoader(TensorDataset(X[2000:], Y[2000:]), 200)).fit(8)
# cure: - total = 0.0
# cure: + self.model.train()
# cure: + total = 0.0
