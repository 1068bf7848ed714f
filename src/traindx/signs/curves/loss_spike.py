"""Sudden rises of the training loss far beyond its noise that come back to the earlier course.

Each point is measured against the median of the points before it, in ratios, by the spread of just that quantity. A
sudden rise at the very end of the record counts here too, because nobody can tell yet whether it comes back. Rises
within the first hundredth belong to early-instability. One single point that less than doubles is a note, not a
warning: one odd batch can do that. The sentence adds what else the record shows at the highest spike's step
(`_moments.py`).
"""

from __future__ import annotations

import math

from ...record import Run
from ...wording import num4, times
from .. import questions
from .._base import Missing, Severity, Sign
from .._excursions import Excursion, loss_excursions
from .._moments import happened_at, period_of
from ..curve import Curve, is_excerpt, moment, training_loss

ID = "loss-spike"
QUESTION = questions.FALLS
SHOWS = "outcome"


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 3:
        return Missing(ID, "fewer than three training losses were recorded")
    earliest = 1 if is_excerpt(run) else max(2, len(loss) // 100)
    spikes = [e for e in loss_excursions(run) if e.outcome != "stays" and e.start >= earliest]
    clear = [e for e in spikes if e.level >= 0.5]
    if not clear:
        height = max((e.height for e in spikes), default=0.0)
        level = max((e.level for e in spikes), default=0.0)
        text = f"Training loss rises to at most {times(height)} the level just before ({len(loss)} points)."
        return Sign(ID, height, level, text, values={"count": 0, "log_ratio": height})
    first, highest = clear[0], max(clear, key=lambda e: e.height)
    onset, peak = int(loss.steps[first.start]), int(loss.steps[highest.peak])
    top = float(loss.values[highest.peak])
    beside = happened_at(run, int(loss.steps[highest.start]), loss)
    period = period_of(loss) if len(loss) >= 40 else None
    values = {
        "count": len(clear),
        "steps": [int(loss.steps[e.start]) for e in clear[:20]],
        "peak": top,
        "peak_step": peak,
        "log_ratio": highest.height,
        "noise_multiples": highest.z,
        "outcome": highest.outcome,
        "coincides": {found.what: dict(found.values) for found in beside},
        "period": period.length if period is not None and period.judged and period.p < 0.002 else None,
    }
    many = f"{len(clear)} spikes, the first at {moment(run, onset)}; the highest" if len(clear) > 1 else "A spike"
    text = (
        f"{many} at {moment(run, peak)} reaches {num4(top)}, {_height(highest, loss)} the loss just before it, "
        f"and {_ending(highest, run, loss)}"
    )
    text += f"; {beside[0].words}." if beside else "."
    if values["period"]:
        text = f"{text[:-1]}; spikes recur every {values['period']:.0f} steps."
    severity: Severity = "warning" if _matters(clear, len(loss)) else "info"
    return Sign(ID, highest.height, max(e.level for e in clear), text, onset, severity, values)


def _matters(clear: list[Excursion], points: int) -> bool:
    """Rare single points of twice the level come from odd batches; repeated, lasting or taller ones do not."""
    high = [e for e in clear if e.height >= math.log(2)]
    lasting = any(e.end is None or e.end - e.start > 3 for e in high)
    tall = any(e.height >= math.log(3) for e in high)
    return bool(high) and (lasting or tall or len(high) >= 3 or points < 100)


def _height(spike: Excursion, loss: Curve) -> str:
    """A factor where losses are positive; else in units of the range that the loss covers."""
    return times(spike.height) if loss.values.min() > 0 else f"{spike.height:.3g} times its usual range above"


def _ending(spike: Excursion, run: Run, loss: Curve) -> str:
    if spike.end is not None:
        return f"is back at the earlier level by {moment(run, int(loss.steps[spike.end]))}"
    return (
        "was falling again when the run ended"
        if spike.outcome == "returning"
        else "had not come back when the run ended"
    )
