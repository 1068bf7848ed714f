"""Reads from a run's facts what fixes of signal, loss and data faults name: calls, layers, shapes, statistics.

Values that are absent, malformed or not finite are treated as missing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..record import Event, Run
from ..record.site import Site
from ..record.values import number


def numbers(source: Mapping[str, Any], key: str) -> list[float] | None:
    """A non-empty list of finite numbers, or None."""
    values = source.get(key)
    if not isinstance(values, (list, tuple)) or not values:
        return None
    found = [number(value) for value in values]
    return None if None in found else [value for value in found if value is not None]


def shape(source: Mapping[str, Any], key: str = "shape") -> tuple[int, ...]:
    """A tensor's shape; empty where it is not known."""
    found = numbers(source, key)
    return tuple(int(size) for size in found) if found else ()


def python_list(values: Sequence[float]) -> str:
    """Numbers as a Python list, with four significant digits each."""
    return "[" + ", ".join(f"{value:.4g}" for value in values) + "]"


def model_site(run: Run) -> Site | None:
    """Where the (first) model is built."""
    return run.models[0].site if run.models else None


def module_types(run: Run) -> list[str]:
    """The types of the first model's modules, in their order."""
    return [module.type for module in run.models[0].modules] if run.models else []


def training_loss(run: Run, *names: str) -> Mapping[str, Any]:
    """The first loss call in training, of one of the named functions if names are given; empty if there is none."""
    for loss in run.entries("losses"):
        if loss.get("phase", "train") == "train" and (
            not names or any(name in str(loss.get("fn")).lower() for name in names)
        ):
            return loss
    return {}


def loader(run: Run, role: str) -> Mapping[str, Any]:
    """The first loader in that role; empty if there is none."""
    return next((found for found in run.entries("loaders") if found.get("role") == role), {})


def operation(run: Run, *names: str) -> Mapping[str, Any]:
    """The last risky or shape-changing call in the model whose name contains one of the names."""
    found = [call for call in run.entries("ops") if any(name in str(call.get("op")).lower() for name in names)]
    return found[-1] if found else {}


def first_event(run: Run, kind: str) -> Event | None:
    found = run.events_of(kind)
    return found[0] if found else None


def weights(run: Run) -> list[Mapping[str, Any]]:
    """The weight matrices and kernels, in order of execution."""
    found = [param for param in run.entries("params") if param.get("kind") == "weight" and param.get("name")]
    return sorted(found, key=lambda param: number(param.get("depth")) or 0.0)


def scale_against_fan_in(param: Mapping[str, Any]) -> float | None:
    """Initial standard deviation times sqrt(fan_in): about 0.6 by PyTorch's default, 1.4 by He's rule."""
    std, fan_in = number(param.get("init_std")), number(param.get("fan_in"))
    return None if std is None or not fan_in or fan_in < 0 else std * math.sqrt(fan_in)


def typical(run: Run, quantity: str) -> dict[str, float]:
    """The median over steps of a per-layer quantity, by layer; layers never measured are left out."""
    table = run.layers(quantity)
    found: dict[str, float] = {}
    for name in table.layers:
        values = table.column(name)
        values = values[np.isfinite(values)]
        if values.size:
            found[name] = float(np.median(values))
    return found


def worst(run: Run, quantity: str, above: float) -> list[tuple[str, float]]:
    """The layers whose last known value lies above a level, worst first."""
    table = run.layers(quantity)
    found = []
    for name in table.layers:
        values = table.column(name)
        values = values[np.isfinite(values)]
        if values.size and values[-1] > above:
            found.append((name, float(values[-1])))
    return sorted(found, key=lambda item: -item[1])
