"""Whether a run trains a network, and the share of some parameters among all."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import Run
from ..record.parameters import Parameter


def fits_a_network(run: Run) -> bool:
    """Whether some weight matrix is trained, or the record does not say. A single column of numbers is no layer."""
    known = [p for p in run.parameters if p.optimizer is not None]
    layers = [p for p in known if p.matrix and (p.module or min(p.shape) > 1)]
    return not known or bool(layers) or any(p.kind == "embedding" for p in known)


def share_of(part: Sequence[Parameter], whole: Sequence[Parameter]) -> float:
    """The larger of the shares by tensors and by elements: an output layer has few elements, and matters."""
    if not whole:
        return 0.0
    elements = sum(parameter.elements for parameter in whole)
    by_elements = sum(parameter.elements for parameter in part) / elements if elements > 0 else 0.0
    return max(len(part) / len(whole), by_elements)
