"""The activation that makes the model's output, and the range it can reach."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ..record import Run
from ..record.program import LossCall

_RANGES = {
    "sigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "softmax": (0.0, 1.0),
    "softplus": (0.0, inf),
    "relu": (0.0, inf),
    "hardtanh": (-1.0, 1.0),
}
# Operations that only rearrange: the values come from the operation before them.
_REARRANGING = (
    "squeeze",
    "view",
    "reshape",
    "unsqueeze",
    "flatten",
    "select",
    "slice",
    "transpose",
    "permute",
    "alias",
)


@dataclass(frozen=True)
class OutputRange:
    activation: str
    low: float
    high: float


def _plain(name: str) -> str:
    return name.split("Backward")[0].lstrip("_").lower().replace("threshold", "relu").replace("clampmin", "relu")


def output_range(run: Run, call: LossCall) -> OutputRange | None:
    """The range of what this loss call is given, where an activation bounds it.

    The last nonlinearity of the graph counts only if nothing but reshaping lies between it and the loss, and if the
    values seen stay inside its range: a hidden activation before a linear layer bounds nothing.
    """
    name = _plain(call.maker or call.made_by)
    turned = name == "neg"
    if name not in _RANGES:
        name = _plain(run.graph.last_activation) if turned or _rearranged(name) else ""
    if name not in _RANGES:
        return None
    low, high = _RANGES[name]
    if turned:
        low, high, name = -high, -low, f"negated {name}"
    seen = [value for value in (call.input.min, call.input.max) if value is not None]
    if any(value < low - 1e-6 or value > high + 1e-6 for value in seen):
        return None
    return OutputRange(name, low, high)


def made_by(run: Run, call: LossCall) -> str:
    """The operation that made what this loss call is given, past those that only rearrange it."""
    name = _plain(call.maker or call.made_by)
    if call.maker or not _rearranged(name):
        return name
    for op in run.graph.tail[1:]:  # the first is the loss itself
        if not _rearranged(_plain(op)):
            return _plain(op)
    return name


def _rearranged(name: str) -> bool:
    return any(name.startswith(word) or name == f"unsafe{word}" for word in _REARRANGING)
