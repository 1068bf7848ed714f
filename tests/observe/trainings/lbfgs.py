"""A closure that is evaluated several times within one step."""

import torch
from _state import show
from torch import nn

torch.manual_seed(6)
x = torch.linspace(-2, 2, 64).unsqueeze(1)
y = torch.sin(2 * x)
model = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for step in range(8):
    print(step, optimizer.step(closure).item())
show(*model.parameters())
