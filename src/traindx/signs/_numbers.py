"""Number formats, and where the first non-finite number arose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..record import Event, Run
from ..record.course import Details
from ..record.site import Site
from ._steps import update_ratios
from ._tables import median, ordered

HALF_MAX = 65504.0  # the largest finite float16


# Steps that change weights by half their size, and losses a thousand times the first, are a run that is blowing up.
BLOWN_RATIO, BLOWN_LOSS = 0.5, 1e3
# Values beyond this were not made by one operation: the network fed it ever larger numbers.
HUGE = 1e18


@dataclass(frozen=True)
class Birth:
    step: int | None
    where: str  # input, target, forward, loss, backward, weights or '' where no replay told
    op: str
    module: str
    candidates: float  # operations that it may have been: more than one where the values were gone
    site: Site | None
    input_range: tuple[float, ...]
    loss: Details  # of the loss that was not finite
    gradient_first: bool  # a gradient was not finite while the loss still was
    ratio: float | None  # the update/weight ratio of the last update before it
    blown: bool  # steps, loss or values had exploded before it
    grown: tuple[float, float] | None  # the first loss and the last one before it, where the loss had exploded


def _first(run: Run, kind: str) -> tuple[int | None, Details]:
    event = next(iter(run.events_of(kind)), Event(kind, None))
    return event.step, event.details


def birth(run: Run) -> Birth | None:
    """None where no non-finite number was seen."""
    kinds = ("nonfinite-origin", "nonfinite-loss", "nonfinite-gradient")
    if not any(run.events_of(kind) for kind in kinds):
        return None
    (origin_step, origin), (loss_step, loss), (gradient_step, gradient) = (_first(run, kind) for kind in kinds)
    steps = [step for step in (gradient_step, loss_step, origin_step) if isinstance(step, int)]
    reach = tuple(abs(value) for value in origin.input_range)
    first = median(ordered(run.series("loss/train")).values[:5])
    last = gradient.loss or _loss_before(run, min(steps, default=None))
    grown = first is not None and last is not None and abs(last) > BLOWN_LOSS * max(abs(first), 1e-3)
    ratio = loss.update_ratio_before or _ratio_before(run, min(steps, default=None))
    return Birth(
        step=min(steps, default=None),
        where=origin.where,
        op=origin.op,
        module=origin.module,
        candidates=origin.candidates or 1.0,
        site=origin.site,
        input_range=reach,
        loss=loss,
        gradient_first=gradient_step is not None and (loss_step is None or gradient_step <= loss_step),
        ratio=ratio,
        blown=grown or (ratio is not None and ratio > BLOWN_RATIO) or any(value > HUGE for value in reach),
        grown=(first, last) if first is not None and last is not None and grown else None,
    )


def _ratio_before(run: Run, step: int | None) -> float | None:
    """The update/weight ratio at the last look before a step."""
    ratios = update_ratios(run)
    before = ratios.values if step is None else ratios.values[ratios.steps < step]
    return float(before[-1]) if len(before) else None


def _loss_before(run: Run, step: int | None) -> float | None:
    """The last finite loss before a step."""
    points = ordered(run.series("loss/train"))
    before = points.values if step is None else points.values[points.steps < step]
    return float(before[-1]) if len(before) else None


def all_finite(run: Run) -> bool | None:
    """Whether every recorded training loss is finite; None without any."""
    losses = run.series("loss/train")
    return bool(np.isfinite(losses.values).all()) if losses else None
