"""An optimizer's step that is compiled, and a whole step of the training that is."""

import logging

import torch
from _state import show
from torch import nn

logging.disable(logging.WARNING)  # one of torch's has the time in it
torch.manual_seed(15)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
whole = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
of_whole = torch.optim.SGD(whole.parameters(), lr=0.05)


@torch.compile(backend="eager")
def step():
    optimizer.step()


@torch.compile(backend="eager")
def train(x, y):
    of_whole.zero_grad()
    loss = nn.functional.mse_loss(whole(x), y)
    loss.backward()
    of_whole.step()
    return loss


x, y = torch.randn(32, 8), torch.randn(32, 1)
for _ in range(20):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    step()
print(loss.item())
for number in range(20):
    loss = train(x, y)
    if number % 5 == 0:
        print(number, loss.item())
show(*model.parameters(), *whole.parameters())
