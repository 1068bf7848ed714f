"""How far the training loss ends above the lowest level it had held, when it does not come back.

Three tests, of which the strongest counts. *Rise*: the smoothed end against the lowest smoothed level, in units of the
noise that a fall-then-rise course leaves (`_rise.py`); a rise by a quarter is where it begins to count, and it must not
be on its way back. *Thrown out*: every later value lies far above the very first one, so the loss never settled.
*Last rows*: the record ends on values that are twice everything seen since the loss had settled.
Evaluations on training data are looked at too: batch losses can fall while the averaged model that is evaluated falls
apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import change, num4
from .. import checks, questions
from .._base import Missing, Severity, Sign, ramp
from .._rise import rise_of
from .._rising import steady_rise
from ..curve import Curve, curve_of, ended, moment, robust_spread, spread_of_differences, training_loss

ID = "loss-diverged"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5
CHECK = checks.FIRST_STEPS
TYPICAL_NOISE = 0.05  # of one training loss, relative
SMALL, CLEAR = math.log(1.12), math.log(1.4)
MOST_ROWS = 5  # rows at the end that can be a blow-up too sudden for a smoothed level


@dataclass(frozen=True)
class Divergence:
    level: float
    height: float
    step: int


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 3:
        return Missing(ID, "fewer than three training losses were recorded")
    candidates = [("Training loss", loss)]
    evaluated = curve_of(run.series("loss/validation/training_data"))
    if len(evaluated) >= 5 and evaluated is not loss:
        candidates.append(("Loss evaluated on training data", evaluated))
    found = [(name, curve, _strongest(curve)) for name, curve in candidates]
    steady = steady_rise(run)
    found.append(("Training loss", loss, Divergence(steady.level, steady.change, int(loss.steps[0]))))
    what, curve, best = max(found, key=lambda entry: entry[2].level)
    level = best.level
    low, last, at = curve.minimum, curve.final, curve.minimum_step
    above = (last - low) / (abs(low) or curve.size)
    values = {
        "series": what, "minimum": low, "minimum_step": at, "last": last, "last_step": curve.final_step,
        "rise": above, "end": curve.last, "log_ratio": best.height, "onset": best.step,
    }  # fmt: skip
    where = f"its minimum ({num4(low)} at {moment(run, at)})"
    many = low > 0 and above >= 2
    size = change(above) if low > 0 else num4(last - low)  # of a minimum that is not positive there is no percentage
    ends = f"at {where}" if above <= 0 else f"{size} {'' if many else 'above '}{where}"
    if level < 0.5:
        smoothed = f"; smoothed, it ends at {num4(curve.last)}" if above > 0.1 else ""
        at_level = "at " if many else ""
        return Sign(ID, best.height, level, f"{what} ends {at_level}{ends}{smoothed}.", None, "info", values)
    severity: Severity = "critical" if best.height >= math.log(1.5) else "warning" if best.height >= 0.05 else "info"
    course = f"{what} rises from {moment(run, best.step)} on and does not come back"
    text = f"{course}: {num4(last)} at the end, {ends}."
    if above <= 0:
        text = f"{course}: {num4(curve.last)} at the end (smoothed), although its last value is {ends}."
    return Sign(ID, best.height, level, text, best.step, severity, values)


def _strongest(curve: Curve) -> Divergence:
    return max(_risen(curve), _thrown_out(curve), _last_rows(curve), key=lambda found: found.level)


def _risen(curve: Curve) -> Divergence:
    rise = rise_of(curve, TYPICAL_NOISE)
    if rise.after < 2:
        return Divergence(0.0, rise.height, int(curve.steps[0]))
    # Noise of half the level is skewed and heavy-tailed: its standard errors mean less.
    wild = 1 + 2 * min(max(0.0, rise.noise - 0.2), 0.5)
    level = min(ramp(rise.z, 2.5 * wild, 5 * wild), ramp(rise.height, SMALL, CLEAR), ramp(rise.returning, 0.5, 0.3))
    if len(curve) < 10:  # in a handful of noisy batches a low one is followed by higher ones
        level = min(level, ramp(rise.of_fall, 0.7, 1.3))
    return Divergence(level, rise.height, int(curve.steps[rise.start]))


def _thrown_out(curve: Curve) -> Divergence:
    """Above the first value ever since the first steps, in ratios and in values: a first batch that is low by luck
    stands out in one of them only."""
    first, rest = float(curve.values[0]), curve.values[1 + len(curve) // 10 :]
    none = Divergence(0.0, 0.0, int(curve.steps[0]))
    if len(rest) < 3 or first <= 0 or float(np.quantile(rest, 0.1)) <= first:
        return none
    half = len(curve) // 2
    end = float(np.median(curve.values[half:]))
    gap = math.log(end / first)
    spread, ratios = robust_spread(curve.values[half:]), robust_spread(curve.ratios[half:])
    floor = 0.1 if len(curve) >= 20 else 0.3
    level = min(
        ramp(end - first, 1.5 * spread, 3 * spread + 1e-300),
        ramp(gap, 2 * ratios + floor, 4 * ratios + floor + 0.2),
        ramp(gap, 0.2, 0.7),
    )
    at = int(np.argmax(curve.values > first + 0.5 * (end - first)))
    return Divergence(level, gap, int(curve.steps[at]))


def _last_rows(curve: Curve) -> Divergence:
    """The record ends on at least two values that lie far above all since the loss had settled."""
    y = curve.ratios
    settled = y[len(y) // 5 :]
    none = Divergence(0.0, 0.0, int(curve.steps[0]))
    for rows in range(2, min(MOST_ROWS, len(settled) // 3) + 1):
        before, end = settled[:-rows], settled[-rows:]
        usual = float(np.median(before[-10:]))
        height = float(end.min()) - usual
        beyond = float(end.min()) - float(before.max())
        noise = max(spread_of_differences(before), TYPICAL_NOISE)
        level = min(ramp(height, math.log(1.3), math.log(2.2)), ramp(beyond / noise, 1, 4), ramp(height / noise, 6, 12))
        if level >= 0.5 and float(end[-1]) >= 0.7 * float(end.max()) + 0.3 * usual:
            return Divergence(level, float(end[-1]) - usual, int(curve.steps[len(y) - rows]))
    return none


def do_now(sign: Sign, run: Run) -> str:
    low, at = float(sign.values["minimum"]), int(sign.values["minimum_step"])
    if sign.onset is None or at >= int(sign.values["last_step"]):
        return ""
    resume = "Resume" if ended(run) else "Stop the run and resume"
    return (
        f"{resume} from the checkpoint of {moment(run, at)} (loss {num4(low)}), "
        "at a lower learning rate until the cause is known."
    )
