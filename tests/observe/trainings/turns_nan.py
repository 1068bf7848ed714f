"""The loss turns NaN half way; the model prints, counts and draws random numbers of its own in every forward."""

import random

import numpy as np
import torch
from _state import show
from torch import nn


class Talkative(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        print("forward", random.random(), np.random.rand())
        return torch.log(self.drop(self.linear(x)).abs() - self.threshold)


torch.manual_seed(18)
np.random.seed(18)
random.seed(18)
model = Talkative()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    model.threshold = -1.0 if step < 10 else 0.0
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4)).mean()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
show(*model.parameters())
