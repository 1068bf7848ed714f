# expect: lr-decays-too-soon
# about: image classifier behind a Trainer class that takes its scheduler as an argument
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
torch.set_num_threads(1)


class Trainer:
    def __init__(self, model, optimizer, scheduler, criterion, epochs):
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler
        self.criterion, self.epochs = criterion, epochs
        self.history = []

    def _train_epoch(self, loader):
        self.model.train()
        total = 0.0
        for images, labels in loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            total += loss.item() * len(labels)
        return total / len(loader.dataset)

    @torch.no_grad()
    def _evaluate(self, loader):
        self.model.eval()
        hits = sum((self.model(a).argmax(1) == b).sum().item() for a, b in loader)
        return hits / len(loader.dataset)

    def fit(self, train, valid):
        for epoch in range(self.epochs):
            loss, acc = self._train_epoch(train), self._evaluate(valid)
            self.history.append((loss, acc))
            print(f"[{epoch + 1}/{self.epochs}] loss={loss:.4f} acc={acc:.4f} lr={self.scheduler.get_last_lr()[0]:.2e}")


X, y = load_digits(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 16
a, b, c, d = train_test_split(X, torch.tensor(y), test_size=0.25, random_state=0)
net = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
    nn.Flatten(), nn.Linear(32, 10),
)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
sch = StepLR(opt, step_size=7, gamma=0.1)
trainer = Trainer(net, opt, sch, nn.CrossEntropyLoss(), epochs=15)
trainer.fit(DataLoader(TensorDataset(a, c), 32, shuffle=True), DataLoader(TensorDataset(b, d), 128))
# cure: - sch = StepLR(opt, step_size=7, gamma=0.1)
# cure: + sch = StepLR(opt, step_size=7 * 43, gamma=0.1)
