"""LSTM and GRU with carried state; python's and numpy's random numbers choose the data."""

import random

import numpy as np
import torch
from _state import show
from torch import nn

torch.manual_seed(13)
np.random.seed(13)
random.seed(13)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(3, 16, num_layers=2, dropout=0.2, batch_first=True)
        self.second = nn.GRU(16, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x, state):
        hidden, state = self.first(x, state)
        return self.out(self.second(hidden)[0][:, -1]), state


model = Tagger()
optimizer = torch.optim.NAdam(model.parameters(), lr=5e-3)
state = None
for step in range(20):
    x = torch.from_numpy(np.random.randn(8, 10, 3).astype("float32"))
    if random.random() < 0.5:
        x = x + 0.1 * torch.randn_like(x)
    y = x[:, :, 0].sum(1, keepdim=True).sign() * 0.5 + 0.5
    logits, state = model(x, state)
    state = tuple(part.detach() for part in state)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 0.1)
    optimizer.step()
    print(step, random.randint(0, 9), np.random.randint(10), f"{loss.item():.6f}")
show(*model.parameters(), *state)
