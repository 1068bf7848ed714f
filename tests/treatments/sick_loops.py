"""Small trainings in one process, each with one fault: what single interventions are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

Loop = Callable[[], None]
STEPS = 60


def data(n: int = 240, width: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(n, width, generator=generator)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()


def values(n: int = 240, width: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    x, _ = data(n, width)
    return x, (2 * x[:, :1] - x[:, 1:2]) + 0.1


def mlp(*hidden: int, out: int = 3, act: Callable[[], nn.Module] = nn.ReLU, width: int = 8) -> nn.Sequential:
    sizes = [width, *(hidden or (16,))]
    layers: list[nn.Module] = []
    for i in range(len(sizes) - 1):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), act()]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], out))


def classify(
    make: Callable[[], nn.Module] = mlp,
    optimizer: Callable[[Any], torch.optim.Optimizer] = lambda p: torch.optim.SGD(p, lr=0.1),
    *,
    steps: int = STEPS,
    loss: Callable[[Any, Any], Any] = lambda output, target: F.cross_entropy(output, target),
    after_backward: Callable[[Any], None] = lambda model: None,
    scheduler: Callable[[Any], Any] | None = None,
    change: Callable[[Any], Any] = lambda x: x,
    labels: Callable[[Any], Any] = lambda y: y,
    loader: dict[str, Any] | None = None,
    micro: int = 1,
    trained: Callable[[nn.Module], Any] = lambda model: model.parameters(),
) -> Loop:
    """A loop over batches of 24, by slicing or by a loader."""

    def run() -> None:
        x, y = data()
        x, y = change(x), labels(y)
        model = make()
        made = optimizer(trained(model))
        schedule = scheduler(made) if scheduler else None
        done = 0
        batches: Any = [(x[i : i + 24], y[i : i + 24]) for i in range(0, len(x), 24)]
        if loader is not None:
            batches = DataLoader(TensorDataset(x, y), **{"batch_size": 24, **loader})
        while done < steps:
            for i, (inputs, targets) in enumerate(batches):
                value = loss(model(inputs), targets)
                value.backward()
                if (i + 1) % micro:
                    continue
                after_backward(model)
                made.step()
                made.zero_grad()
                if schedule is not None:
                    schedule.step()
                done += 1
                if done >= steps:
                    return

    return run


def regress(
    make: Callable[[], nn.Module] = lambda: mlp(out=1),
    *,
    steps: int = STEPS,
    lr: float = 0.05,
    loss: Callable[[Any, Any], Any] = lambda output, target: F.mse_loss(output, target),
    targets: Callable[[Any], Any] = lambda y: y,
    change: Callable[[Any], Any] = lambda x: x,
) -> Loop:
    def run() -> None:
        x, y = values()
        x, y = change(x), targets(y)
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for step in range(steps):
            rows = slice(24 * (step % 10), 24 * (step % 10) + 24)
            value = loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            value.backward()
            optimizer.step()

    return run
