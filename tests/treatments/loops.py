"""Small trainings, healthy and sick, that trials are made of."""

from __future__ import annotations

CLASSIFIER = """
import torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(600, 12)
y = (x[:, :3].sum(1) > 0).long() + 2 * (x[:, 3:6].sum(1) > 0).long()
held_x, held_y = x[480:], y[480:]
x, y = x[:480], y[:480]
model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4){last})
optimizer = torch.optim.{optimizer}
criterion = nn.CrossEntropyLoss()
for epoch in range({epochs}):
    order = torch.randperm(len(x))
    for rows in order.split(32):
        {clear}
        loss = criterion(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        criterion(model(held_x), held_y)
    model.train()
"""


def classifier(
    optimizer: str = "Adam(model.parameters(), lr=1e-2)",
    clear: str = "optimizer.zero_grad()",
    last: str = "",
    epochs: int = 12,
) -> str:
    return CLASSIFIER.format(optimizer=optimizer, clear=clear, last=last, epochs=epochs)
