"""A frozen backbone kept in eval mode, weights from a checkpoint, float64, early stopping on hand-made validation."""

import torch
from _state import show
from torch import nn

torch.manual_seed(19)
torch.set_default_dtype(torch.float64)
backbone = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU())
backbone.load_state_dict(nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU()).state_dict())
backbone.requires_grad_(False)
head = nn.Linear(12, 1)
model = nn.Sequential(backbone, head)
optimizer = torch.optim.SGD(head.parameters(), lr=0.05, nesterov=True, momentum=0.9)
x = torch.randn(120, 6)
y = x.sum(1, keepdim=True)
best, waited = float("inf"), 0
for epoch in range(30):
    model.train()
    backbone.eval()
    optimizer.zero_grad()
    ((model(x[:80]) - y[:80]) ** 2).mean().backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        error = ((model(x[80:]) - y[80:]) ** 2).mean().item()
    print(epoch, error)
    best, waited = (error, 0) if error < best else (best, waited + 1)
    if waited == 3:
        break
show(*model.state_dict().values())
