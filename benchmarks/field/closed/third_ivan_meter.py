# expect: bad-batch
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    """Meter readings as they come from the field."""

    def __init__(self, n, seed, field=True):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, 8))
        y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * np.abs(x[:, 3]) + 0.1 * rng.normal(size=n)
        if field:
            rows = rng.choice(n, 6, replace=False)
            x[rows, rng.integers(0, 8, 6)] = 999.0
            y[rows] = -999.0
        self.x, self.y = torch.tensor(x).float(), torch.tensor(y).float()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Engine:
    def __init__(self, net, train, valid, lr, epochs):
        self.net, self.train, self.valid, self.epochs = net, train, valid, epochs
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.loss = nn.MSELoss()

    def step(self, x, y):
        self.opt.zero_grad()
        loss = self.loss(self.net(x).squeeze(1), y)
        loss.backward()
        self.opt.step()
        return loss.item()

    def validate(self):
        self.net.eval()
        with torch.no_grad():
            e = torch.cat([(self.net(x).squeeze(1) - y) ** 2 for x, y in self.valid]).mean().item()
        self.net.train()
        return e

    def run(self):
        for ep in range(self.epochs):
            ls = [self.step(x, y) for x, y in self.train]
            print(f"epoch {ep} mean {np.mean(ls):.4g} median {np.median(ls):.4f} valid mse {self.validate():.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train, valid = Readings(3000, 0), Readings(800, 1, field=False)
    net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    Engine(net, DataLoader(train, 32, shuffle=True), DataLoader(valid, 200), 2e-3, 20).run()
