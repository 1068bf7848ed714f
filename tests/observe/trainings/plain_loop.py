"""No functions, no guard, batches made by hand, a rate that steps down."""

import torch
from _state import show
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 10)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
criterion = nn.CrossEntropyLoss()
for epoch in range(20):
    order = torch.randperm(len(x))
    for i in range(0, len(x), 64):
        batch = order[i : i + 64]
        optimizer.zero_grad()
        loss = criterion(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item())
show(*model.parameters())
