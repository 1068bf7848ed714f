# expect: leaked-validation
# also: overfitting
import copy
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, Subset


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.wait, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.wait, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.wait += 1
        return self.wait >= self.patience


def make_data(n=460, d=12, seed=0):
    r = np.random.default_rng(seed)
    x = r.normal(size=(n, d))
    y = 1.5 * x[:, 0] - x[:, 1] + 0.8 * np.maximum(x[:, 2], 0) + r.normal(scale=2.0, size=n)
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32).unsqueeze(1))


def run_epoch(model, loader, opt=None):
    model.train(opt is not None)
    tot = cnt = 0
    for x, y in loader:
        with torch.set_grad_enabled(opt is not None):
            loss = nn.functional.mse_loss(model(x), y)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        tot += loss.item() * len(x)
        cnt += len(x)
    return tot / cnt


def main():
    torch.manual_seed(0)
    ds = make_data()
    train_set, val_set, test_set = Subset(ds, range(0, 120)), Subset(ds, range(120, 180)), Subset(ds, range(180, 460))
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
    val_loader = DataLoader(train_set, batch_size=64)
    test_loader = DataLoader(test_set, batch_size=256)
    model = nn.Sequential(nn.Linear(12, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    stopper = EarlyStopping(patience=15)
    for epoch in range(250):
        tr = run_epoch(model, train_loader, opt)
        va = run_epoch(model, val_loader)
        if epoch % 10 == 0:
            print(f"epoch {epoch} train {tr:.4f} val {va:.4f}")
        if stopper(va, model):
            print("early stop at", epoch)
            break
    model.load_state_dict(stopper.state)
    print(f"test mse {run_epoch(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
