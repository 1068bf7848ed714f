# expect: train-mode-missing
# about: batch-normed regressor that logs a baseline before training starts
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(78)
torch.set_num_threads(1)


def block(i, o):
    return nn.Sequential(nn.Linear(i, o, bias=False), nn.BatchNorm1d(o), nn.ReLU())


class Regressor(nn.Module):
    def __init__(self, depth=8, w=32):
        super().__init__()
        self.stack = nn.Sequential(block(20, w), *[block(w, w) for _ in range(depth)])
        self.out = nn.Linear(w, 1)

    def forward(self, x):
        return self.out(self.stack(x)).squeeze(1)


def spectra(n):
    x = torch.randn(n, 20)
    return x, torch.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2]


class Runner:
    def __init__(self):
        self.net = Regressor()
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.train_set = DataLoader(TensorDataset(*spectra(2400)), batch_size=40, shuffle=True)
        self.val = spectra(500)

    def baseline(self):
        self.net.eval()
        with torch.no_grad():
            return nn.functional.mse_loss(self.net(self.val[0]), self.val[1]).item()

    def fit(self, epochs):
        for e in range(epochs):
            total = 0.0
            for x, y in self.train_set:
                self.opt.zero_grad()
                loss = nn.functional.mse_loss(self.net(x), y)
                loss.backward()
                self.opt.step()
                total += loss.item()
            print(f"epoch {e + 1} train {total / len(self.train_set):.4f} val {self.baseline():.4f}")


run = Runner()
print(f"before training: val {run.baseline():.4f}")
run.fit(12)
# cure: - total = 0.0
# cure: + total = 0.0
# cure: + self.net.train()
