"""Counts what is still alive: outputs and losses of past steps, and tensors in all."""

import gc
import time
import weakref

import torch
from _state import show
from torch import nn

torch.manual_seed(21)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters())
past = []
counts = []
for step in range(2000):
    x, y = torch.randn(4, 4), torch.randint(0, 3, (4,))
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    past += [weakref.ref(tensor) for tensor in (x, y, out, loss)]
    if step in (300, 1999):
        del x, y, out, loss
        print(step, sum(ref() is not None for ref in past))
        time.sleep(3)  # what is on its way to the record arrives there, however fast the steps were
        counts.append(sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects()))
# Observation holds small tensors until they are written, about once a second; what grows with the steps is a leak.
print("grew by less than two hundred", counts[1] - counts[0] < 200)
show(*model.parameters())
