"""Activations that are computed again during backward, both ways that torch offers."""

import torch
from _state import show
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(15)
first = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 24), nn.ReLU())
last = nn.Sequential(nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=1e-2)
x, y = torch.randn(64, 6), torch.randn(64, 1)
for step in range(25):
    optimizer.zero_grad()
    hidden = checkpoint(first, x, use_reentrant=step % 2 == 0, preserve_rng_state=True)
    loss = nn.functional.mse_loss(checkpoint_sequential(last, 2, hidden, use_reentrant=False), y)
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(step, loss.item())
show(*first.parameters(), *last.parameters())
