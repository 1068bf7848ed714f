"""Shares by activation layer, the model's own output left out."""

from __future__ import annotations

from dataclasses import dataclass

from ..record import Run
from ._modules import SQUASHING, modules, output_module
from ._tables import layer_medians, median


@dataclass(frozen=True)
class HiddenShare:
    """`middle` is the median layer, `worst` the largest, in `layer`; each the median over a stretch of looks."""

    middle: float
    worst: float
    layer: str
    layers: int


def hidden_share(run: Run, quantity: str, begin: float, end: float = 1.0) -> HiddenShare | None:
    """A share per squashing layer. A sigmoid at the output of a classifier is at its limits when it is right."""
    last = output_module(modules(run), SQUASHING)
    shares = {
        name: min(max(share, 0.0), 1.0)
        for name, share in layer_medians(run.layers(quantity), begin, end).items()
        if last is None or name != last.name
    }
    middle = median(shares.values())
    if middle is None:
        return None
    layer = max(shares, key=lambda name: shares[name])
    return HiddenShare(middle, shares[layer], layer, len(shares))
