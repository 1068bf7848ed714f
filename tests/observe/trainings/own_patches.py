"""A script that replaces parts of torch itself: its replacements stay in place."""

import torch
from _state import show
from torch import nn

torch.manual_seed(0)
calls = {"view": 0, "item": 0, "call": 0, "backward": 0}


def counted(name, original):
    def wrapper(*args, **kwargs):
        calls[name] += 1
        return original(*args, **kwargs)

    return wrapper


model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(60):
    if step == 1:
        mine = {name: counted(name, getattr(*place)) for name, place in {
            "view": (torch.Tensor, "view"), "item": (torch.Tensor, "item"),
            "call": (nn.Module, "__call__"), "backward": (torch.autograd, "backward"),
        }.items()}  # fmt: skip
        torch.Tensor.view, torch.Tensor.item = mine["view"], mine["item"]
        nn.Module.__call__, torch.autograd.backward = mine["call"], mine["backward"]
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x).view(-1), x[:, 0])
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        model.eval()
        with torch.no_grad():
            print(step, nn.functional.mse_loss(model(x).view(-1), x[:, 0]).item() > 0)
        model.train()
        torch.jit.script(nn.Linear(2, 2))
in_place = [torch.Tensor.view is mine["view"], torch.Tensor.item is mine["item"]]
in_place += [nn.Module.__call__ is mine["call"], torch.autograd.backward is mine["backward"]]
print(calls, in_place)
show(*model.parameters())
