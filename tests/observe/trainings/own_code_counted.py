"""Code of the user's own that torch calls: as often as without an observer."""

from collections import Counter

import torch
from _state import show
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, Dataset

calls = Counter()
torch.manual_seed(0)


class Rows(Dataset):
    def __len__(self):
        calls["len"] += 1
        return 48

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(6, generator=generator).as_subclass(Marked), torch.tensor(float(index % 2))


class Marked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls["function " + getattr(func, "__name__", str(func))] += 1
        calls["known"] += func is torch.Tensor.view or func is torch.Tensor.reshape or func is torch.Tensor.item
        return super().__torch_function__(func, types, args, kwargs or {})


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 8)
        self.last = nn.Linear(8, 1)

    def parameters(self, recurse=True):
        calls["parameters"] += 1
        return super().parameters(recurse)

    def named_parameters(self, *args, **kwargs):
        calls["named_parameters"] += 1
        return super().named_parameters(*args, **kwargs)

    def named_modules(self, *args, **kwargs):
        calls["named_modules"] += 1
        return super().named_modules(*args, **kwargs)

    def forward(self, x):
        return self.last(torch.tanh(self.inner(x.reshape(-1, 6)))).view(-1)


class CountFunctions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        calls["mode"] += 1
        return func(*args, **(kwargs or {}))


class CountOperations(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        calls["dispatched"] += 1
        return func(*args, **(kwargs or {}))


class Batch(dict):
    def values(self):
        calls["values"] += 1
        return super().values()

    @property
    def to_dict(self):
        calls["to_dict"] += 1
        return None


def packed(tensor):
    calls["pack"] += 1
    return tensor


def unpacked(tensor):
    calls["unpack"] += 1
    return tensor


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(Rows(), batch_size=8, shuffle=True, collate_fn=lambda rows: Batch(
    x=torch.stack([x for x, _ in rows]), y=torch.stack([y for _, y in rows])))  # fmt: skip
for _ in range(6):
    for batch in loader:
        optimizer.zero_grad()
        with CountFunctions(), CountOperations():
            loss = nn.functional.mse_loss(model(batch["x"]), batch["y"])
        loss.backward()
        optimizer.step()
        calls["item"] += loss.item() > 0
    with torch.autograd.graph.saved_tensors_hooks(packed, unpacked):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(batch["x"]), batch["y"]).backward()
        optimizer.step()
    with torch.no_grad():
        calls["item"] += model(batch["x"]).mean().item() > -99
print(sorted(calls.items()))
show(*(p for p in nn.Module.parameters(model)))
