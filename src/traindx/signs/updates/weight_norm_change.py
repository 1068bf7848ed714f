"""How the size of the weights changes over the run: grows, shrinks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._tables import bins, concordance, median, ordered

GROWING, SHRINKING = "weights-growing", "weights-shrinking"
FEWEST = 5


def growing(run: Run) -> Sign | Missing:
    """Weights that outgrow their start: last norm over first, median over weight matrices.

    Long healthy runs from small initial values double or triple; a hundredfold is a run without a brake. The level asks
    for four times at least, by then ordinary growth is used up.
    """
    change = weight_change(run)
    if change is None:
        return Missing(GROWING, "the weights' norm was not followed over the run")
    return _sign(GROWING, change, ramp(change.ratio, 4.0, 100.0, log=True))


def shrinking(run: Run) -> Sign | Missing:
    """Weights that shrink toward zero over the run: last norm over first, median over weight matrices.

    Healthy weights keep their size or grow.
    """
    change = weight_change(run)
    if change is None:
        return Missing(SHRINKING, "the weights' norm was not followed over the run")
    level = ramp(change.ratio, 0.5, 0.1, log=True) * ramp(-change.order, 0.2, 0.6)
    return _sign(SHRINKING, change, level)


@dataclass(frozen=True)
class WeightChange:
    ratio: float  # last norm over first: median over weight matrices, or of all weights together
    order: float  # Kendall's tau over the run: -1 where the norm falls all the way
    first: float
    last: float


def weight_change(run: Run) -> WeightChange | None:
    """None where fewer than five looks were taken or the weights began at zero."""
    whole = ordered(run.series("weight_norm"))
    # Weights that no gradient reaches are moved by weight decay alone: that they shrink is the effect of another fault.
    matrices = {p.name for p in run.parameters if p.matrix and p.trains and p.grad != "zero"}
    table = run.layers("weight_norm")
    rows = table.values[np.argsort(table.steps, kind="stable")]
    columns = [rows[:, i] for i, name in enumerate(table.layers) if name in matrices]
    tracks = [[float(v) for v in column if np.isfinite(v)] for column in columns] or [whole.values.tolist()]
    tracks = [track for track in tracks if len(track) >= FEWEST and track[0] > 0]
    ratio = median(track[-1] / track[0] for track in tracks)
    if ratio is None:
        return None
    order = median(concordance(bins(np.asarray(track), 10)) for track in tracks) or 0.0
    longest = whole.values.tolist() if len(whole) >= FEWEST else tracks[0]
    return WeightChange(ratio, order, longest[0], longest[-1])


def _sign(sign_id: str, change: WeightChange, level: float) -> Sign:
    return Sign(
        sign_id,
        change.ratio,
        level,
        f"the weight norm went from {num(change.first)} to {num(change.last)}; the median weight matrix ended at "
        f"{num(change.ratio)} times its initial norm",
        severity=if_raised(level, "warning"),
        values={"ratio": change.ratio, "first": change.first, "last": change.last},
    )


SIGNS = (
    SignUnit(GROWING, growing, questions.STEPS, "dynamics", end="deep"),
    SignUnit(SHRINKING, shrinking, questions.STEPS, "dynamics", end="deep"),
)
