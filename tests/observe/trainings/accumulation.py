"""Four backward passes a step, and clipping."""

import torch
from _state import show
from torch import nn

torch.manual_seed(7)
x, y = torch.randn(256, 8), torch.randint(0, 4, (256,))
model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
for step in range(20):
    for _ in range(4):
        rows = torch.randint(0, 256, (16,))
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows], label_smoothing=0.1) / 4
        loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
    print(step, round(norm.item(), 5))
show(*model.parameters())
