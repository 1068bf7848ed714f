"""What the rows ask of a run, and the reasons to refuse that several of them have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...causes import all_causes
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import WEIGHTED, Refusal

NO_OPTIMIZER = Refusal("no optimizer was seen: the script updates its weights by hand")
NO_RATE = Refusal("no optimizer with a learning rate was seen")


def fixed(run: Run, signs: Signs, cause: str) -> Mapping[str, Any]:
    """The settings that the fix of this cause proposes, by name."""
    return all_causes()[cause].fix(run, signs).sets


def numbers(values: Any) -> list[float]:
    """The values if all of them are finite numbers, else an empty list: a record may hold anything."""
    found = [number(value) for value in values] if isinstance(values, (list, tuple)) else []
    return [value for value in found if value is not None] if None not in found else []


def train_loaders(run: Run) -> list[int]:
    return [i for i, loader in enumerate(run.loaders) if loader.role == "train"]


def output_layers(run: Run) -> list[str]:
    """The modules that make the models' outputs; an activation there belongs to the loss, not to a hidden layer. If the
    record does not name one, it is the module that is executed last."""
    found = []
    for model in run.models:
        executed = [module for module in model.modules if module.order is not None]
        last = max(executed, key=lambda module: module.order or 0.0).name if executed else ""
        found.append(model.output or last)
    return [name for name in found if name]


def types_of(run: Run) -> list[str]:
    return [module.type for model in run.models for module in model.modules]


def weighted_layers(run: Run) -> int:
    return sum(kind in WEIGHTED for kind in types_of(run))
