"""Gradients by torch.autograd.grad, weights updated by hand."""

import torch
from _state import show
from torch import nn

torch.manual_seed(4)
model = nn.Sequential(nn.Linear(4, 16), nn.SiLU(), nn.Linear(16, 1))
x = torch.randn(64, 4)
y = x.prod(1, keepdim=True)
for step in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    with torch.no_grad():
        for parameter, gradient in zip(model.parameters(), gradients, strict=True):
            parameter.sub_(0.1 * gradient)
    if step % 10 == 0:
        print(step, loss.item())
show(*model.parameters())
