"""Warnings of torch's own: shapes that broadcast, a scheduler stepped too early. Fifth column of the data constant."""

import torch
from _state import show
from torch import nn

torch.manual_seed(20)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
scheduler.step()
x = torch.randn(32, 5)
x[:, 4] = 1.0
y = x[:, 0]
for step in range(10):
    loss = nn.MSELoss()(model(x), y)
    loss = loss + nn.functional.l1_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
show(*model.parameters())
