"""Every call of torch by keyword, some under a mode that passes them on: `from_pretrained` has one."""

import torch
from _state import show
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, TensorDataset


class PassedOn(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


torch.manual_seed(seed=0)
with PassedOn(), torch.device("cpu"):
    model = nn.Sequential(nn.Embedding(12, 8), nn.Flatten(), nn.Linear(in_features=24, out_features=3))
nn.init.normal_(tensor=model[2].weight, std=0.1)
nn.init.zeros_(tensor=model[2].bias)
model.load_state_dict(state_dict={name: value.clone() for name, value in model.state_dict().items()})
optimizer = torch.optim.SGD(params=model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer=optimizer, step_size=2)
scaler = torch.amp.GradScaler(device="cpu")
inputs = torch.randint(low=0, high=12, size=(64, 3))
loader = DataLoader(dataset=TensorDataset(inputs, inputs[:, 0] % 3), batch_size=16, shuffle=True)
for _ in range(6):
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(input=F.dropout(input=model(input=x), p=0.1), target=y)
        scaler.scale(outputs=loss).backward(gradient=None)
        scaler.unscale_(optimizer=optimizer)
        nn.utils.clip_grad_norm_(parameters=model.parameters(), max_norm=1.0)
        scaler.step(optimizer=optimizer)
        scaler.update()
    schedule.step()
show(*model.parameters())
