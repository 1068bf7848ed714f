"""Which parameters make a network, and which share of it some of them are."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import Run
from ..record.parameters import Parameter


def fits_a_network(run: Run) -> bool:
    """Whether some weight matrix is trained, or the record does not say. A loose column of numbers makes no layer."""
    known = [p for p in run.parameters if p.optimizer is not None]
    layers = [p for p in known if p.matrix and (p.module or min(p.shape) > 1)]
    return not known or bool(layers) or any(p.kind == "embedding" for p in known)


def share_of(part: Sequence[Parameter], whole: Sequence[Parameter]) -> float:
    """The larger of the shares by tensors and by elements: one starved output layer is few elements, and fatal."""
    if not whole:
        return 0.0
    elements = sum(parameter.elements for parameter in whole)
    by_elements = sum(parameter.elements for parameter in part) / elements if elements > 0 else 0.0
    return max(len(part) / len(whole), by_elements)
