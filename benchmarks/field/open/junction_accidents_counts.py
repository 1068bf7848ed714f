# expect: wrong-loss
# also: output-range-mismatch
# about: expected accidents per junction and month, non-negative rate head with the Poisson likelihood
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
torch.set_num_threads(1)

n = 4000
traffic = torch.randn(n)
speed = torch.randn(n)
kind = torch.randint(0, 4, (n,))
kind_effect = torch.tensor([-1.2, -0.4, 0.2, 0.7])
log_rate = -1.0 + 0.7 * traffic + 0.4 * speed * (kind == 2) + kind_effect[kind]
counts = torch.poisson(log_rate.exp())
features = torch.cat([traffic[:, None], speed[:, None], nn.functional.one_hot(kind, 4).float()], dim=1)
train = TensorDataset(features[:3200], counts[:3200])
test_x, test_y, test_rate = features[3200:], counts[3200:], log_rate[3200:].exp()


class AccidentRate(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        """Expected number of accidents, always positive."""
        return nn.functional.softplus(self.body(x)).squeeze(1)


model = AccidentRate()
criterion = nn.PoissonNLLLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(10):
    total = 0.0
    for x, c in DataLoader(train, batch_size=64, shuffle=True):
        rate = model(x)
        loss = criterion(rate, c)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / math.ceil(3200 / 64)
    with torch.no_grad():
        rate = model(test_x)
        deviance = 2 * (torch.xlogy(test_y, test_y.clamp(min=1) / rate.clamp(min=1e-6)) - (test_y - rate)).mean()
    print(f"epoch {epoch} loss {total:.4f}  test deviance {deviance:.4f}  mean predicted {rate.mean():.3f} observed {test_y.mean():.3f}  mae to true rate {(rate - test_rate).abs().mean():.3f}")
# cure: - criterion = nn.PoissonNLLLoss()
# cure: + criterion = nn.PoissonNLLLoss(log_input=False)
