"""Remembers what weights were initialised with, so that it can tell later whether something else wrote them.

Weights that still have those values when the model first runs were never loaded, copied or trained.
"""

from __future__ import annotations

from typing import Any

import torch

from .metric_queue import cpu_value
from .tensors import plain, sketch

FEW = 16  # elements that stand for a parameter
MOST = 20_000  # parameters that are remembered


class InitialValues:
    def __init__(self) -> None:
        self._values: dict[tuple[int, ...], Any] = {}

    @torch.no_grad()
    def note(self, tensor: Any) -> None:
        """An initialiser has filled this tensor: a parameter, or its `data`."""
        if isinstance(tensor, torch.Tensor) and plain(tensor) and tensor.is_cpu and len(self._values) < MOST:
            self._values[_place(tensor)] = sketch(tensor, FEW)

    @torch.no_grad()
    def kept(self, parameter: Any) -> bool | None:
        """Whether it still has the values that it was initialised with; None where nobody was seen to do that."""
        values = self._values.get(_place(parameter)) if plain(parameter) else None
        differs = None if values is None else cpu_value(sketch(parameter, FEW).ne(values).any())
        return None if differs is None else not differs


def _place(tensor: Any) -> tuple[int, ...]:
    """Its memory: scripts initialise `layer.weight.data`, which is another object."""
    return (tensor.data_ptr(), *tensor.shape)
