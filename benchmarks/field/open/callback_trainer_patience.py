# expect: healthy
# about: own Trainer class with callbacks; stops by patience soon after the best epoch and restores the best weights
import copy

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Subset, TensorDataset


class Callback:
    def on_epoch_end(self, trainer, logs):
        pass

    def on_fit_end(self, trainer):
        pass


class Printer(Callback):
    def on_epoch_end(self, trainer, logs):
        print(" - ".join(f"{k}: {v:.4f}" if isinstance(v, float) else f"{k}: {v}" for k, v in logs.items()))


class EarlyStopping(Callback):
    def __init__(self, monitor, patience):
        self.monitor, self.patience = monitor, patience
        self.best, self.wait, self.weights = float("inf"), 0, None

    def on_epoch_end(self, trainer, logs):
        if logs[self.monitor] < self.best - 1e-4:
            self.best, self.wait, self.weights = logs[self.monitor], 0, copy.deepcopy(trainer.model.state_dict())
        else:
            self.wait += 1
            trainer.stop = self.wait >= self.patience

    def on_fit_end(self, trainer):
        trainer.model.load_state_dict(self.weights)
        print(f"restored weights with {self.monitor} {self.best:.4f}")


class Trainer:
    def __init__(self, model, optimizer, loss_fn, callbacks):
        self.model, self.optimizer, self.loss_fn, self.callbacks, self.stop = model, optimizer, loss_fn, callbacks, False

    def _epoch(self, loader, train):
        self.model.train(train)
        total = hits = count = 0
        with torch.set_grad_enabled(train):
            for x, y in loader:
                out = self.model(x)
                loss = self.loss_fn(out, y)
                if train:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                total, hits, count = total + loss.item() * len(y), hits + (out.argmax(1) == y).sum().item(), count + len(y)
        return total / count, hits / count

    def fit(self, train, val, max_epochs):
        for epoch in range(max_epochs):
            tl, ta = self._epoch(train, True)
            vl, va = self._epoch(val, False)
            for c in self.callbacks:
                c.on_epoch_end(self, {"epoch": epoch, "loss": tl, "acc": ta, "val_loss": vl, "val_acc": va})
            if self.stop:
                break
        for c in self.callbacks:
            c.on_fit_end(self)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(13)
    d = load_digits()
    ds = TensorDataset(torch.tensor(d.data / 16, dtype=torch.float32), torch.tensor(d.target))
    idx = torch.randperm(len(ds)).tolist()
    train, val, test = (DataLoader(Subset(ds, part), batch_size=32, shuffle=k == 0) for k, part in enumerate([idx[:1100], idx[1100:1450], idx[1450:]]))
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))
    trainer = Trainer(model, torch.optim.RMSprop(model.parameters(), lr=1e-3), nn.CrossEntropyLoss(), [Printer(), EarlyStopping("val_loss", 5)])
    trainer.fit(train, val, max_epochs=60)
    print("test loss %.4f acc %.4f" % trainer._epoch(test, False))
