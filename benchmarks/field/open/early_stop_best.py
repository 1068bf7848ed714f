# expect: healthy
# about: OOP trainer, hand-made early stopping that stops at the right time and restores the best weights
import copy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


class Trainer:
    def __init__(self, model, loss_fn, optimizer, stopper):
        self.model, self.loss_fn, self.optimizer, self.stopper = model, loss_fn, optimizer, stopper

    def _train_epoch(self, loader):
        self.model.train()
        tot = 0
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            tot += loss.item()
        return tot / len(loader)

    @torch.no_grad()
    def _eval(self, loader):
        self.model.eval()
        return sum(self.loss_fn(self.model(x), y).item() for x, y in loader) / len(loader)

    def fit(self, train, val, epochs):
        for e in range(epochs):
            t, v = self._train_epoch(train), self._eval(val)
            print(f"epoch {e:3d} train {t:.4f} val {v:.4f}")
            if self.stopper(v, self.model):
                print("early stop, best", self.stopper.best)
                break
        self.model.load_state_dict(self.stopper.state)


torch.manual_seed(13)
torch.set_num_threads(1)
w = torch.randn(15)
X = torch.randn(1500, 15)
Y = torch.stack([X @ w, (X**2).sum(1).sqrt()], 1) + 0.3 * torch.randn(1500, 2)
ds = TensorDataset(X, Y)
train = DataLoader(torch.utils.data.Subset(ds, range(1200)), 32, shuffle=True)
val = DataLoader(torch.utils.data.Subset(ds, range(1200, 1500)), 150)
model = nn.Sequential(nn.Linear(15, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 2))
Trainer(model, nn.SmoothL1Loss(), torch.optim.RMSprop(model.parameters(), lr=1e-3), EarlyStopping(4)).fit(train, val, 60)
