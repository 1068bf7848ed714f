"""Small trainings, made anew from a seed: a model, its batches, a loss, an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

Toy = tuple[nn.Module, DataLoader[Any], Callable[[Any, Any], Any], torch.optim.Optimizer]


def _loader(x: Any, y: Any) -> DataLoader[Any]:
    return DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)


def linear_regression(seed: int) -> Toy:
    torch.manual_seed(seed)
    x = torch.randn(512, 10)
    y = x @ torch.randn(10, 1) + 0.1 * torch.randn(512, 1)
    model = nn.Linear(10, 1)
    return model, _loader(x, y), nn.MSELoss(), torch.optim.SGD(model.parameters(), lr=0.01)


def _clusters(classes: int, features: int) -> tuple[Any, Any]:
    centres = 2.0 * torch.randn(classes, features)
    y = torch.arange(640) % classes
    return centres[y] + torch.randn(640, features), y


def mlp_sgd(seed: int) -> Toy:
    torch.manual_seed(seed)
    x, y = _clusters(5, 12)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    return model, _loader(x, y), nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


def mlp_adam(seed: int) -> Toy:
    model, loader, loss, _ = mlp_sgd(seed)
    return model, loader, loss, torch.optim.Adam(model.parameters(), lr=1e-3)


def cnn_adam(seed: int) -> Toy:
    torch.manual_seed(seed)
    y = torch.arange(512) % 4
    patterns = torch.randn(4, 1, 8, 8)
    x = patterns[y] + torch.randn(512, 1, 8, 8)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(144, 4),
    )  # fmt: skip
    return model, _loader(x, y), nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters(), lr=1e-3)


def noise_labels(seed: int) -> Toy:
    """Nothing to learn within a test: an honest finder cannot tell."""
    torch.manual_seed(seed)
    x, y = torch.randn(640, 12), torch.randint(0, 5, (640,))
    model = nn.Linear(12, 5)
    return model, _loader(x, y), nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.01)


TOYS: dict[str, Callable[[int], Toy]] = {
    "linear regression, SGD": linear_regression,
    "MLP, SGD with momentum": mlp_sgd,
    "MLP, Adam": mlp_adam,
    "CNN, Adam": cnn_adam,
    "random labels, SGD": noise_labels,
}
