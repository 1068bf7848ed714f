# expect: bad-batch
# also: unscaled-targets
# about: company code that estimates invoice totals (in hundreds) from order features; log shows the batch loss
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("invoice")
torch.set_num_threads(1)


class Invoices(Dataset):
    def __init__(self, n: int, seed: int, clerks: bool):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 10, generator=g)
        w = torch.linspace(-1, 1, 10)
        self.y = self.x @ w + 0.5 * self.x[:, 0] * self.x[:, 1] + 0.1 * torch.randn(n, generator=g)
        if clerks:
            wrong = torch.randperm(n, generator=g)[:4]
            self.y[wrong] = self.y[wrong].abs() * 1000 + 900

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int):
        return self.x[i], self.y[i]


class Estimator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x).squeeze(-1)


def train_model(model: nn.Module, data: Dataset, test: Dataset, epochs: int = 12) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    step = 0
    for epoch in range(epochs):
        for x, y in DataLoader(data, batch_size=32, shuffle=True):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 20 == 0:
                log.info("step %d batch loss %.4f", step, loss.item())
        with torch.no_grad():
            error = nn.functional.mse_loss(model(test.x), test.y)
        print(f"epoch {epoch + 1} test mse {error.item():.4f}")


torch.manual_seed(6)
train_set = Invoices(1200, 1, clerks=True)
train_model(Estimator(), train_set, Invoices(300, 2, clerks=False))
# cure: - train_set = Invoices(1200, 1, clerks=True)
# cure: + train_set = Invoices(1200, 1, clerks=True)
# cure: + keep = train_set.y.abs() < 50
# cure: + train_set.x, train_set.y = train_set.x[keep], train_set.y[keep]
