"""Splits a batch into inputs and target, whether it is a pair, a longer sequence, a mapping or inputs alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TARGETS = ("target", "targets", "labels", "label", "y")


def split(batch: Any) -> tuple[tuple[Any, ...], Any]:
    """(inputs, target). The target is the last element of a sequence, or the item of a mapping with a target's name."""
    if isinstance(batch, Mapping):
        target = next((key for key in TARGETS if key in batch), None)
        inputs = tuple(value for key, value in batch.items() if key != target)
        return inputs, None if target is None else batch[target]
    if isinstance(batch, (tuple, list)):
        if len(batch) >= 2:
            return tuple(batch[:-1]), batch[-1]
        return tuple(batch), None
    return (batch,), None


def loss_of(output: Any, target: Any, loss_fn: Any) -> Any:
    """The loss. Without a target, `loss_fn` gets only the output."""
    return loss_fn(output) if target is None else loss_fn(output, target)
