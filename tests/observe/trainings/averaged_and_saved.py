"""A deep copy that follows the model, the whole model pickled and read back, hooks of the script's own."""

import copy
import io

import torch
from _state import show
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(7, 14), nn.Linear(14, 7)])
        self.norm = nn.BatchNorm1d(14)

    def forward(self, x):
        return self.layers[1](torch.relu(self.norm(self.layers[0](x))))


torch.manual_seed(16)
model = Net()
average = copy.deepcopy(model)
calls = []
handle = model.norm.register_forward_hook(lambda module, given, out: calls.append(out.shape[0]))
optimizer = torch.optim.Adamax(model.parameters(), lr=5e-3)
x = torch.randn(64, 7)
for step in range(30):
    optimizer.zero_grad()
    nn.functional.l1_loss(model(x), x).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 0.1)
    if step == 14:
        handle.remove()
        buffer = io.BytesIO()
        torch.save(model, buffer)
        torch.save(optimizer.state_dict(), optimizer_buffer := io.BytesIO())
        model = torch.load(io.BytesIO(buffer.getvalue()), weights_only=False)
        optimizer = torch.optim.Adamax(model.parameters(), lr=5e-3)
        optimizer.load_state_dict(torch.load(io.BytesIO(optimizer_buffer.getvalue())))
        model.load_state_dict(model.state_dict())
        print(type(model).__module__, sorted(vars(model)), len(buffer.getvalue()), len(calls))
with torch.no_grad():
    print(nn.functional.l1_loss(average.eval()(x), x).item())
show(*model.state_dict().values(), *average.state_dict().values())
