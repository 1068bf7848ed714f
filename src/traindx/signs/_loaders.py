"""The data loaders of a run, read safely from the `loaders` fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record import Run
from ._facts import backwards_per_step, facts, number


def training_loaders(run: Run) -> list[Mapping[str, Any]]:
    return [loader for loader in facts(run, "loaders") if loader.get("role") == "train"]


def dataset_size(run: Run) -> float | None:
    """Samples of the largest training set."""
    sizes = [number(loader.get("size")) for loader in training_loaders(run)]
    return max((size for size in sizes if size is not None and size > 0), default=None)


def updates_per_epoch(run: Run) -> float | None:
    """Updates in one pass over the training data."""
    batches = [number(loader.get("batches")) for loader in training_loaders(run)]
    most = max((found for found in batches if found is not None and found > 0), default=None)
    return None if most is None else max(1.0, most / backwards_per_step(run))
