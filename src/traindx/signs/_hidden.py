"""Shares by activation layer, the model's own output left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..record import Run
from ..record.values import text
from ._modules import SQUASHING, output_module
from ._tables import layer_medians, median


@dataclass(frozen=True)
class HiddenShare:
    """`middle` is the median layer, `worst` the largest, in `layer`; each the median over a stretch of looks."""

    middle: float
    worst: float
    layer: str
    layers: int


def hidden_share(run: Run, quantity: str, begin: float, end: float = 1.0) -> HiddenShare | None:
    """The share of each squashing layer, without outputs: the sigmoid of a good classifier is at its limits."""
    found = layer_medians(run.layers(quantity), begin, end)
    last = output_module(run.modules, SQUASHING)
    at_output = {last.name} if last is not None else {_function_at_output(run, found)}
    # Each of several models has an output of its own.
    at_output |= {text(model.get("output")) for model in run.entries("models") if model.get("output")}
    shares = {name: min(max(share, 0.0), 1.0) for name, share in found.items() if name not in at_output}
    middle = median(shares.values())
    if middle is None:
        return None
    layer = max(shares, key=lambda name: shares[name])
    return HiddenShare(middle, shares[layer], layer, len(shares))


def _function_at_output(run: Run, names: Iterable[str]) -> str | None:
    """The activation called as a function with no layer between it and the loss; calls are numbered as they ran."""
    kind = text(run.fact("graph").get("last_activation"))
    calls = [name for name in names if kind and name.startswith(f"{kind}#")]
    return max(calls, key=lambda name: int(name.rpartition("#")[2]), default=None)
