"""Statistics of every parameter's gradient on a few batches. Nothing is updated, and all state is restored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import torch

from ..record import Run, RunBuilder
from .about_model import model_fact, parameter_facts
from .batches import loss_of, split
from .unchanged import unchanged

PRESENCE = ("none", "zero", "yes")  # in rising order: over several batches, the highest counts
QUANTITIES = ("grad_norm", "grad_rms", "grad_zero", "weight_norm")


def gradient_run(model: Any, batches: Iterable[Any], loss_fn: Callable[..., Any], source: str = "model") -> Run:
    """One backward per batch, in the model's current mode. Each batch is one step of the run."""
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if not trained:
        raise ValueError("no parameter of the model requires a gradient")
    names, parameters = [name for name, _ in trained], [p for _, p in trained]
    losses: list[float] = []
    rows: list[list[list[float]]] = []
    presence: dict[str, str] = {}
    for batch in batches:
        inputs, target = split(batch)
        with unchanged(model), torch.enable_grad():
            loss = loss_of(model(*inputs), target, loss_fn)
            gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        losses.append(float(loss.detach()))
        rows.append([_numbers(g, p) for g, p in zip(gradients, parameters, strict=True)])
        for name, gradient in zip(names, gradients, strict=True):
            presence[name] = max(presence.get(name, "none"), _presence(gradient), key=PRESENCE.index)
    if not losses:
        raise ValueError("no batch was given")
    table = np.array(rows)  # batch × parameter × quantity
    steps = np.arange(len(losses))
    builder = RunBuilder(source, "observed").series("loss/train", steps, losses)
    builder.series("grad_norm", steps, np.sqrt(np.nansum(table[:, :, 0] ** 2, axis=1)))
    for i, quantity in enumerate(QUANTITIES):
        builder.layers(quantity, steps, names, table[:, :, i])
    return builder.fact("params", parameter_facts(model, presence)).fact("models", [model_fact(model)]).build()


def _numbers(gradient: Any, parameter: Any) -> list[float]:
    weight = float(parameter.detach().double().norm())
    if gradient is None:
        return [float("nan")] * 3 + [weight]
    dense = (gradient.to_dense() if gradient.is_sparse else gradient).detach().double()
    return [float(dense.norm()), float(dense.square().mean().sqrt()), float((dense == 0).double().mean()), weight]


def _presence(gradient: Any) -> str:
    if gradient is None:
        return "none"
    values = (gradient.to_dense() if gradient.is_sparse else gradient).detach()
    return "yes" if bool((values != 0).any()) else "zero"  # NaN counts as "yes"


class GradientStats(Mapping[str, Mapping[str, float]]):
    """For each parameter: mean, std, min and max of the gradient norm over batches, and the share of zeros."""

    def __init__(self, run: Run) -> None:
        self.run = run
        norms, zeros = run.layers("grad_norm"), run.layers("grad_zero")
        self._stats = {
            name: {
                "mean": float(column.mean()),
                "std": float(column.std()),
                "min": float(column.min()),
                "max": float(column.max()),
                "zero_share": float(np.mean(zeros.column(name))),
            }
            for name in norms.layers
            for column in [norms.column(name)]
        }

    def __repr__(self) -> str:
        return f"<GradientStats of {self.run.source}: {len(self)} parameters>"

    def __str__(self) -> str:
        """A table with one line per parameter."""
        width = max([len("parameter"), *map(len, self._stats)])
        columns = ("mean", "std", "min", "max", "zero_share")
        lines = [f"{'parameter':<{width}}" + "".join(f"  {column:>10}" for column in columns)]
        for name, stats in self._stats.items():
            lines.append(f"{name:<{width}}" + "".join(f"  {stats[column]:>10.4g}" for column in columns))
        return "\n".join(lines)

    def __getitem__(self, name: str) -> Mapping[str, float]:
        return self._stats[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stats)

    def __len__(self) -> int:
        return len(self._stats)


def compute_gradient_stats(
    model: Any, loader: Iterable[Any], criterion: Callable[..., Any], num_batches: int = 10
) -> GradientStats:
    """Gradient norms of each parameter over the loader's first batches. The model does not change.

    >>> stats = traindx.compute_gradient_stats(model, loader, criterion)      # doctest: +SKIP
    >>> stats["fc1.weight"]["mean"]                                           # doctest: +SKIP
    """
    return GradientStats(gradient_run(model, islice(loader, num_batches), criterion, type(model).__name__))
