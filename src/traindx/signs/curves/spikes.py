"""Sudden rises of the loss that come back."""

from __future__ import annotations

import math

from ...record import Run
from ...wording import num4, times
from .. import questions
from .._base import Measured, Severity, ramp, sign
from .._excursions import Excursion, loss_excursions, standouts
from .._excuses import networks_compete
from .._moments import happened_at, period_of
from ..curve import Curve, is_excerpt, moment, training_loss

LASTING = 3  # rows
BEYOND_NOISE = (8.0, 16.0)  # spreads of the noise, for a rise that is not large in itself
LARGE = (math.log(1.2), math.log(1.5))


@sign("loss-spike", questions.FALLS, "outcome", unless={networks_compete: 0.0})
def loss_spike(run: Run) -> Measured | str:
    """Sudden rises of the training loss far beyond its noise that come back to the earlier course.

    Each point is measured against the median of the points before it, in ratios, by the spread of just that
    quantity. A sudden rise at the very end of the record counts here too, because nobody can tell yet whether it
    comes back. Rises within the first hundredth belong to early-instability. One single point that less than
    doubles is a note, not a warning: one odd batch can do that. The sentence adds what else the record shows at the
    highest spike's step (`_moments.py`).
    """

    loss = training_loss(run)
    if len(loss) < 3:
        return "fewer than three training losses were recorded"
    earliest = 1 if is_excerpt(run) else max(2, len(loss) // 100)
    spikes = [e for e in loss_excursions(run) if e.outcome != "stays" and e.start >= earliest]
    clear = [e for e in spikes if _level(e) >= 0.5]
    if not clear:
        height = max((e.height for e in spikes), default=0.0)
        level = max((_level(e) for e in spikes), default=0.0)
        text = f"Training loss rises to at most {_height(height, loss)} the level just before ({len(loss)} points)."
        return Measured(height, text, level=level, severity="info", values={"count": 0, "log_ratio": height})
    first, highest = clear[0], max(clear, key=lambda e: e.height)
    onset, peak = int(loss.steps[first.start]), int(loss.steps[highest.peak])
    top = float(loss.values[highest.peak])
    beside = happened_at(run, int(loss.steps[highest.start]), loss)
    period = period_of(loss) if len(loss) >= 40 else None
    values = {
        "count": len(clear),
        "lasting": sum(_lasts(e) for e in clear),
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
        f"{many} at {moment(run, peak)} reaches {num4(top)}, {_height(highest.height, loss)} the loss just before it, "
        f"and {_ending(highest, run, loss)}"
    )
    text += f"; {beside[0].words}." if beside else "."
    if values["period"]:
        text = f"{text[:-1]}; spikes recur every {values['period']:.0f} steps."
    severity: Severity = "warning" if _matters(clear, len(loss)) else "info"
    return Measured(
        highest.height, text, level=max(_level(e) for e in clear), onset=onset, severity=severity, values=values
    )


def _lasts(spike: Excursion) -> bool:
    """One odd batch is over after a row or two; weights that were thrown off take longer to come back."""
    return spike.end is None or spike.end - spike.start > LASTING


def _level(spike: Excursion) -> float:
    """A rise that lasts counts from a third on: no single batch makes it."""
    lasting = min(ramp(spike.z, *BEYOND_NOISE), ramp(spike.height, *LARGE)) if _lasts(spike) else 0.0
    return max(spike.level, lasting)


def _matters(clear: list[Excursion], points: int) -> bool:
    """Rare single points of twice the level come from odd batches; repeated, lasting or taller ones do not."""
    high = [e for e in clear if e.height >= math.log(2)]
    lasting = any(_lasts(e) for e in high)
    tall = any(e.height >= math.log(3) for e in high)
    return bool(high) and (lasting or tall or len(high) >= 3 or points < 100)


def _height(height: float, loss: Curve) -> str:
    """A factor where losses are positive; else in units of the range that the loss covers."""
    return times(height) if loss.values.min() > 0 else f"{height:.3g} times its usual range above"


def _ending(spike: Excursion, run: Run, loss: Curve) -> str:
    if spike.end is not None:
        return f"is back at the earlier level by {moment(run, int(loss.steps[spike.end]))}"
    return (
        "was falling again when the run ended"
        if spike.outcome == "returning"
        else "had not come back when the run ended"
    )


@sign("spikes-periodic", questions.FALLS, "dynamics")
def spikes_periodic(run: Run) -> Measured | str:
    """How evenly spikes of the training loss are spaced.

    Spikes that come back after the same number of steps come from something that comes back: a bad batch in a fixed
    order, the end of an epoch, an evaluation that leaves a mode behind. Measured by the distance of the gaps from
    whole multiples of the shortest ones, and by how often chance makes them as even.
    """

    loss = training_loss(run)
    if len(loss) < 40:
        return "fewer than forty training losses were recorded"
    period = period_of(loss)
    if period is None:
        count = len(standouts(loss))
        text = f"Training loss has {count} spike{'' if count == 1 else 's'}, too few for a period."
        return Measured(0.0, text, severity="info", values={"spikes": count})
    level = min(ramp(period.off, 0.15, 0.05), ramp(period.p, 0.01, 0.0003, log=True)) if period.judged else 0.0
    text = f"{period.spikes} spikes recur every {period.length:.0f} steps, give or take {100 * period.off:.2g} %."
    if level < 0.5:
        text = f"The {period.spikes} spikes of the training loss have no common period."
    severity: Severity = "warning"
    values = {
        "spikes": period.spikes,
        "period": period.length,
        "off": period.off,
        "p": period.p,
        "height": period.height,
    }
    return Measured(period.length, text, level=level, onset=int(period.steps[0]), severity=severity, values=values)
