"""Mixed precision on the CPU without loss scaling."""

import torch
from _state import show
from torch import nn

torch.manual_seed(8)
x, y = torch.randn(128, 16), torch.randn(128, 1)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, foreach=True)
for step in range(40):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(model(x).float(), y)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
show(*model.parameters())
