# expect: unscaled-targets
# about: sensor readings in ppm (400-2000) regressed with SGD 0.01: diverges to NaN although inputs are scaled
# also: lr-too-high, exploding-gradients
import torch
import torch.nn as nn


class SensorRegressor(nn.Module):
    def __init__(self, n_in, width):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        return self.out(torch.relu(self.mid(x))).squeeze(-1)


def simulate(n):
    x = torch.randn(n, 5)
    ppm = 900 + 300 * torch.tanh(x[:, 0]) + 150 * x[:, 1] * (x[:, 2] > 0) + 30 * torch.randn(n)
    return x, ppm


def fit(x, y, xv, yv, epochs=20):
    model = SensorRegressor(5, 48)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for e in range(epochs):
        for b in torch.randperm(len(x)).split(50):
            loss = nn.functional.mse_loss(model(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            print(f"{e:02d} train {loss.item():.4f} val {nn.functional.mse_loss(model(xv), yv).item():.4f}")


torch.manual_seed(0)
torch.set_num_threads(1)
x, y = simulate(1500)
xv, yv = simulate(300)
fit(x, y, xv, yv)
# cure: - fit(x, y, xv, yv)
# cure: + fit(x, (y - y.mean()) / y.std(), xv, (yv - y.mean()) / y.std())
