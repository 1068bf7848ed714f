"""What a step changes, of which parameters, and by which kind of optimizer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..record import Run, Series
from ..record.program import Parameter
from ._base import Sign
from ._tables import median, ordered


def fits_a_network(run: Run) -> bool:
    """Whether some weight matrix is trained, or the record does not say. A single column of numbers is no layer."""
    known = [p for p in run.parameters if p.optimizer is not None]
    layers = [p for p in known if p.matrix and (p.module or min(p.shape) > 1)]
    return not known or bool(layers) or any(p.kind == "embedding" for p in known)


def named_by(run: Run, sign: Sign) -> list[Parameter]:
    """The parameters that a sign names."""
    names = set(sign.values.get("parameters") or ())
    return [p for p in run.parameters if p.name in names]


def share_of(part: Sequence[Parameter], whole: Sequence[Parameter]) -> float:
    """The larger of the shares by tensors and by elements: an output layer has few elements, and matters."""
    if not whole:
        return 0.0
    elements = sum(parameter.elements for parameter in whole)
    by_elements = sum(parameter.elements for parameter in part) / elements if elements > 0 else 0.0
    return max(len(part) / len(whole), by_elements)


FEWEST_EMPTIED, NEARLY_ALL = 3, 0.8


def needs_whole_set(run: Run) -> bool:
    """Whether an optimizer (like L-BFGS) uses differences of gradients, which need the same samples at every step."""
    return any("lbfgs" in optimizer.class_name.lower() for optimizer in run.optimizers)


def adaptive(run: Run) -> bool:
    """Whether every known optimizer divides gradients by their own size, so that their scale cancels."""
    return bool(run.optimizers) and all(optimizer.adaptive for optimizer in run.optimizers)


def emptied_steps(run: Run) -> float | None:
    """The number of steps that found no gradient because it had been cleared, if nearly all steps did; else None."""
    heard = sum(optimizer.steps_heard or 0.0 for optimizer in run.optimizers)
    emptied = sum(optimizer.emptied for optimizer in run.optimizers)
    return emptied if emptied >= FEWEST_EMPTIED and emptied >= NEARLY_ALL * heard else None


def update_ratios(run: Run) -> Series:
    """One point a look. Weight matrices only: biases and zero-initialised tensors have no meaningful ratio early.

    Where the kinds of parameters are unknown, the ratio is over all parameters together.
    """
    matrices = {p.name for p in run.parameters if p.matrix and p.trains and not p.constant}
    table = run.layers("update_ratio")
    columns = [i for i, name in enumerate(table.layers) if name in matrices]
    steps, values = [], []
    for step, row in zip(table.steps.tolist(), table.values, strict=True):
        # A ratio of zero means that the layer is not trained; it must not count as a small step.
        ratio = median(row[i] for i in columns if row[i] > 0)
        if ratio is not None:
            steps.append(step)
            values.append(ratio)
    if values:
        return ordered(Series("update_ratio", np.asarray(steps, np.int64), np.asarray(values, np.float64)))
    whole = ordered(run.series("update_ratio"))
    moving = whole.values > 0
    return Series("update_ratio", whole.steps[moving], whole.values[moving])
