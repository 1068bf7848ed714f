"""One small network twice, with equal weights and batches: in NumPy with its backward pass by hand, and in torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import traindx

STEPS, WIDTH = 120, 32


@dataclass(frozen=True)
class Net:
    """`name` is the activation; weights are normal with deviation gain / sqrt(fan_in)."""

    name: str
    depth: int
    gain: float
    lr: float
    bias: float = 0.0
    sizes: list[int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", [8, *[WIDTH] * self.depth, 1])

    def weights(self) -> list[tuple[Any, Any]]:
        draw = np.random.default_rng(0)
        found = []
        for i, (a, b) in enumerate(zip(self.sizes, self.sizes[1:], strict=False)):
            w = (draw.normal(size=(a, b)) * self.gain / np.sqrt(a)).astype(np.float32)
            found.append((w, np.full(b, self.bias if i < self.depth else 0.0, np.float32)))
        return found


HEALTHY = Net("relu", 3, 1.4, 0.02)
VANISHING = Net("tanh", 12, 0.5, 0.02, bias=1.0)
DEAD = Net("relu", 3, 0.3, 0.02, bias=-2.0)
SATURATED = Net("tanh", 4, 12.0, 0.001)
TOO_FAST = Net("tanh", 3, 1.0, 3.0)


def batches() -> list[tuple[Any, Any]]:
    draw = np.random.default_rng(1)
    found = []
    for _ in range(STEPS):
        x = draw.normal(size=(64, 8)).astype(np.float32)
        found.append((x, (np.sin(x[:, :1]) + 0.5 * x[:, 1:2] + 1.0).astype(np.float32)))
    return found


def in_numpy(net: Net, path: Path, after: Callable[[Any, int], None] = lambda run, step: None) -> traindx.Run:
    weights = net.weights()
    act = np.tanh if net.name == "tanh" else lambda z: np.maximum(z, 0.0)
    with traindx.start(path) as run, np.errstate(all="ignore"):
        for step, (x, y) in enumerate(batches()):
            hidden = [x]
            for w, b in weights[:-1]:
                hidden.append(act(hidden[-1] @ w + b))
            out = hidden[-1] @ weights[-1][0] + weights[-1][1]
            loss = float(np.mean((out - y) ** 2))
            delta = 2.0 * (out - y) / len(x)
            grads: dict[str, Any] = {}
            for i in reversed(range(len(weights))):
                grads[f"{2 * i}.weight"], grads[f"{2 * i}.bias"] = hidden[i].T @ delta, delta.sum(0)
                slope = 1.0 - hidden[i] ** 2 if net.name == "tanh" else (hidden[i] > 0)
                delta = (delta @ weights[i][0].T) * slope
            grads = {
                f"{2 * i}.{part}": grads[f"{2 * i}.{part}"] for i in range(len(weights)) for part in ("weight", "bias")
            }
            named = {
                f"{2 * i}.{p}": v
                for i, pair in enumerate(weights)
                for p, v in zip(("weight", "bias"), pair, strict=True)
            }
            run.log(step, loss=loss, lr=net.lr)
            run.gradients(step, grads)
            run.activations(step, {f"{2 * i + 1}": h for i, h in enumerate(hidden[1:])}, kind=net.name)
            run.parameters(step, named)
            for name, value in named.items():
                value -= np.float32(net.lr) * grads[name].astype(np.float32)
            after(run, step)
        run.parameters(STEPS, named)
    return traindx.load(path)


def in_torch(net: Net, path: Path) -> traindx.Run:
    import torch

    layers: list[Any] = []
    for w, b in net.weights():
        linear = torch.nn.Linear(*w.shape)
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(w.T.copy()))
            linear.bias.copy_(torch.from_numpy(b))
        layers += [linear, torch.nn.Tanh() if net.name == "tanh" else torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=net.lr)
    with traindx.watch(model, optimizer, out=path, budget=1000.0) as run:
        for x, y in batches():
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(torch.from_numpy(x)), torch.from_numpy(y))
            loss.backward()
            optimizer.step()
    return run.run
