"""Groups with rates of their own, a cycle each step, and a schedule that waits for the validation loss."""

import torch
from _state import show
from torch import nn

torch.manual_seed(10)
x, y = torch.randn(200, 5), torch.randn(200, 1)
body, head = nn.Sequential(nn.Linear(5, 16), nn.ELU()), nn.Linear(16, 1)
optimizer = torch.optim.RMSprop(
    [{"params": body.parameters(), "lr": 1e-3}, {"params": head.parameters(), "lr": 1e-2}], momentum=0.5
)
cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[2e-3, 2e-2], total_steps=48)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.9)
for _ in range(8):
    for i in range(0, 150, 25):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(head(body(x[i : i + 25])), y[i : i + 25])
        loss.backward()
        optimizer.step()
        cycle.step()
    with torch.no_grad():
        validation = nn.functional.smooth_l1_loss(head(body(x[150:])), y[150:])
    plateau.step(validation)
    print(loss.item(), validation.item(), [group["lr"] for group in optimizer.param_groups])
show(*body.parameters(), *head.parameters())
