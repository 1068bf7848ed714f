"""A compiled model, a compiled part of a model, and a compiled function."""

import torch
from _state import show
from torch import nn


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.compile(nn.Sequential(nn.Linear(8, 8), nn.ReLU()), backend="eager")
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.inner(x))


@torch.compile(backend="eager")
def mean_square(a, b):
    return ((a - b) ** 2).mean()


torch.manual_seed(14)
whole = torch.compile(nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 8)), backend="eager")
outer = Outer()
outer.out.compile(backend="eager")
optimizer = torch.optim.SGD([*whole.parameters(), *outer.parameters()], lr=0.05)
x, y = torch.randn(32, 8), torch.randn(32, 1)
for step in range(20):
    optimizer.zero_grad()
    loss = mean_square(outer(whole(x)), y)
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(step, loss.item())
show(*whole.parameters(), *outer.parameters())
