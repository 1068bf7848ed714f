"""Whether there is any nonlinearity between the layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record.values import entries, number, op_counts

BENDING = {  # operations on two results
    "mul",
    "div",
    "bmm",
    "baddbmm",
    "einsum",
    "scaleddotproduct",
    "prod",
    "min",
    "amax",
    "sort",
}


def wholly_linear(graph: Mapping[str, Any]) -> bool:
    """Whether nothing but the loss function bends anything: additions between the layers do not."""
    of_loss = sum(entry.get("in_loss") is True for entry in entries(graph.get("softmaxes")))
    bending = number(graph.get("nonlinearities"))
    return (
        bending is not None and bending <= of_loss and not graph.get("custom") and not BENDING & set(op_counts(graph))
    )
