"""Lazy modules, empty parameter groups, weights on the meta device, parameters of classes of their own."""

import json

import torch
from _state import show
from torch import nn

json.dumps = lambda *args, **kwargs: 1 / 0  # a script may replace what it likes
torch.manual_seed(0)


class Own(nn.Parameter):
    pass


class Counted(nn.Parameter):
    seen = 0

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Counted.seen += 1
        return super().__torch_function__(func, types, args, kwargs or {})


model = nn.Sequential(nn.LazyLinear(12), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(1))
shadow = nn.Linear(4, 4, device="meta")
scale = Own(torch.ones(1))
shift = Counted(torch.zeros(1))
optimizer = torch.optim.SGD(
    [{"params": []}, {"params": [scale, shift]}, {"params": list(shadow.parameters())}], lr=0.05
)
for step in range(40):
    x = torch.randn(16, 5)
    out = model(x)
    if step == 0:
        optimizer.add_param_group({"params": list(model.parameters()), "lr": 0.02})
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(out * scale + shift, x[:, :1])
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(Counted.seen)
show(*model.parameters(), scale.detach(), shift.detach().as_subclass(torch.Tensor))
