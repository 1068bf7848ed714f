"""The parameters of a run, from the `params` fact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .values import index, number, shape, text, texts, truth


@dataclass(frozen=True)
class Parameter:
    """One parameter. None means that the record does not say."""

    name: str
    module: str
    kind: str
    shape: tuple[int, ...]
    elements: float
    trains: bool | None  # requires_grad
    optimizer: int | None
    loaded: bool
    shared: tuple[str, ...]
    grad: str
    moved: bool | None
    ran: bool
    depth: float
    fan_in: float | None
    init_mean: float | None
    init_std: float | None
    init_kurtosis: float | None
    rows_identical: float | None
    constant: bool

    @property
    def matrix(self) -> bool:
        """Whether this is a weight that maps the input of a layer to its output: no bias, norm or embedding."""
        return self.kind == "weight" and len(self.shape) >= 2

    @property
    def gain(self) -> float | None:
        """The initial size relative to 1/sqrt(fan_in): about 0.58 by torch's default, 1.4 after Kaiming.

        The mean counts too, because weights that are all positive add up to more than their deviation shows.
        """
        if self.init_std is None or self.fan_in is None or self.fan_in <= 0:
            return None
        return math.hypot(self.init_std, self.init_mean or 0.0) * math.sqrt(self.fan_in)


def _parameter(entry: Mapping[str, Any], position: int) -> Parameter:
    sizes = shape(entry.get("shape")) or ()
    depth = number(entry.get("depth"))
    return Parameter(
        name=text(entry.get("name")) or f"parameter {position}",
        module=text(entry.get("module")),
        kind=text(entry.get("kind")),
        shape=sizes,
        elements=max(number(entry.get("elements")) or 0.0, 0.0),
        trains=truth(entry.get("requires_grad")),
        optimizer=index(entry.get("optimizer")),
        loaded=entry.get("loaded") is True,
        shared=tuple(texts(entry.get("shared"))),
        grad=text(entry.get("grad")),
        moved=truth(entry.get("moved")),
        # A tensor without a module is in the record only because a loss was differentiated with respect to it.
        ran=entry.get("ran") is True or (entry.get("ran") is None and not text(entry.get("module"))),
        depth=float(position) if depth is None else depth,
        fan_in=number(entry.get("fan_in")),
        init_mean=number(entry.get("init_mean")),
        init_std=number(entry.get("init_std")),
        init_kurtosis=number(entry.get("init_kurtosis")),
        rows_identical=number(entry.get("rows_identical")),
        constant=entry.get("constant") is True,
    )


def read_parameters(found: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    """Return all parameters in order of execution, or in the order of the record if that is unknown."""
    listed = [_parameter(entry, position) for position, entry in enumerate(found)]
    return tuple(sorted(listed, key=lambda parameter: parameter.depth))
