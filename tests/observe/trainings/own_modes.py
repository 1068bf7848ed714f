"""Modes of the user's own that see, count and change calls: every one of them is the script's own."""

import hashlib

import torch
from _state import show
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, TensorDataset


class EverySeventh(TorchFunctionMode):
    """What it returns depends on how many calls it has seen."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(getattr(func, "__name__", str(func)))
        value = func(*args, **(kwargs or {}))
        if len(self.seen) % 7 == 0 and type(value) is torch.Tensor and value.is_floating_point():
            return value * 1.001
        return value


class Dispatched(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def train(around, steps=150):
    torch.manual_seed(5)
    data = TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with around:
        done = 0
        while done < steps:
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x.reshape(-1, 6)), y)
                loss = loss + 1e-4 * model[0].weight.pow(2).sum()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                done += 1
            with torch.no_grad():
                (model(data.tensors[0]).argmax(1) == data.tensors[1]).float().mean().item()
    digest = hashlib.sha256("\n".join(around.seen).encode()).hexdigest()[:16] if hasattr(around, "seen") else ""
    print(type(around).__name__, len(getattr(around, "seen", ())), digest)
    return list(model.parameters())


show(*train(EverySeventh()), *train(Dispatched()), *train(torch.device("cpu")))
