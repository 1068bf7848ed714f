"""Loss scaling: unscaled before clipping, a scale that is at first too large."""

import torch
from _state import show
from torch import nn

torch.manual_seed(9)
x, y = torch.randn(64, 16), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
scaler = torch.amp.GradScaler(device="cpu", init_scale=2.0**24, growth_interval=10)
for step in range(30):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    if step % 5 == 0:
        print(step, loss.item(), scaler.get_scale())
show(*model.parameters())
