"""A module, a loss and an autograd function of the script's own; a parameter that is used twice."""

import torch
from _state import show
from torch import nn


class Squeeze(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x / (1 + x.abs())

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient / (1 + x.abs()) ** 2


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x, scale=1.0):
        self.seen += 1
        return {"out": Squeeze.apply(x @ self.weight) * scale @ self.weight.T}


class Loss(nn.Module):
    def forward(self, found, wanted):
        return (found - wanted).abs().pow(1.5).mean()


torch.manual_seed(11)
block, loss_function = Block(12), Loss()
optimizer = torch.optim.Adagrad(block.parameters(), lr=0.05)
x = torch.randn(64, 12)
for step in range(40):
    optimizer.zero_grad()
    loss = loss_function(block(x, scale=0.5)["out"], x.flip(1))
    loss.backward(retain_graph=step % 2 == 0)
    optimizer.step()
    if step % 10 == 0:
        with torch.no_grad():
            print(step, loss.item(), loss_function(block(x=x)["out"], x.flip(1)).item())
show(block.weight, block.seen)
