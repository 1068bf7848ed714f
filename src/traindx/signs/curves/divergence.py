"""Losses that go the wrong way, from the start or after learning."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import change, num4, percent
from .. import checks, questions
from .._adversaries import in_balance
from .._base import Measured, Severity, Sign, ramp, sign
from .._excuses import networks_compete, reinforced
from .._rate import learning_rate
from .._rise import rise_of
from .._trend import SIGNIFICANT, size_z, trend
from ..curve import (
    BINS,
    TYPICAL_NOISE,
    Curve,
    curve_of,
    ended,
    gradient_norm,
    in_bins,
    is_excerpt,
    moment,
    once,
    robust_spread,
    spread_of_differences,
    stop,
    training_loss,
    validation_loss,
)

SMALL, CLEAR = math.log(1.12), math.log(1.4)
SLIGHT, BEYOND_NOISE = (math.log(1.08), math.log(1.25)), (6.0, 12.0)  # a slight rise has to stand out far more
BEYOND_LUCK = (math.log(10), math.log(100))  # how far a first batch lies below the others by its samples alone
MOST_ROWS = 5  # rows at the end that can be a blow-up too sudden for a smoothed level


@dataclass(frozen=True)
class Divergence:
    level: float
    height: float
    step: int


def _do_now_diverged(sign: Sign, run: Run) -> str:
    low, at = float(sign.values["minimum"]), int(sign.values["minimum_step"])
    if sign.onset is None or at >= int(sign.values["last_step"]):
        return ""
    resume = "Resume" if ended(run) else "Stop the run and resume"
    return (
        f"{resume} from the checkpoint of {moment(run, at)} (loss {num4(low)}), "
        "at a lower learning rate until the cause is known."
    )


@sign(
    "loss-diverged",
    questions.FALLS,
    "outcome",
    core=True,
    bad_from=0.7,
    doubt_from=0.5,
    end="step",
    check=checks.FIRST_STEPS,
    do_now=_do_now_diverged,
    unless={networks_compete: 0.4, in_balance: 0.0, reinforced: 0.4},
)
def loss_diverged(run: Run) -> Measured | str:
    """How far the training loss ends above the lowest level it had held, when it does not come back.

    Three tests, of which the strongest counts. *Rise*: the smoothed end against the lowest smoothed level, in units
    of the noise that a fall-then-rise course leaves (`_rise.py`); a rise by a quarter is where it begins to count,
    and it must not be on its way back. *Thrown out*: every later value lies far above the very first one, so the
    loss never settled. *Last rows*: the record ends on values that are twice everything seen since the loss had
    settled. Evaluations on training data are looked at too: batch losses can fall while the averaged model that is
    evaluated falls apart.
    """

    loss = training_loss(run)
    if len(loss) < 3:
        return "fewer than three training losses were recorded"
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
        return Measured(best.height, f"{what} ends {at_level}{ends}{smoothed}.", level=level, values=values)
    severity: Severity = "critical" if best.height >= math.log(1.5) else "warning" if best.height >= 0.05 else "info"
    course = f"{what} rises from {moment(run, best.step)} on and does not come back"
    lost = not np.isfinite(run.series("loss/train").values[-1:]).all()
    when = "before it is NaN/Inf" if lost and curve is loss else "at the end"
    text = f"{course}: {num4(last)} {when}, {ends}."
    if above <= 0:
        text = f"{course}: {num4(curve.last)} at the end (smoothed), although its last value is {ends}."
    return Measured(best.height, text, level=level, onset=best.step, severity=severity, values=values)


def _strongest(curve: Curve) -> Divergence:
    return max(_risen(curve), _thrown_out(curve), _last_rows(curve), key=lambda found: found.level)


def _risen(curve: Curve) -> Divergence:
    rise = rise_of(curve)
    if rise.after < 2:
        return Divergence(0.0, rise.height, int(curve.steps[0]))
    # Noise of half the level is skewed and heavy-tailed: its standard errors mean less.
    wild = 1 + 2 * min(max(0.0, rise.noise - 0.2), 0.5)
    large = max(ramp(rise.height, SMALL, CLEAR), min(ramp(rise.z, *BEYOND_NOISE), ramp(rise.height, *SLIGHT)))
    level = min(ramp(rise.z, 2.5 * wild, 5 * wild), large, ramp(rise.returning, 0.5, 0.3))
    if len(curve) < 10:  # in a handful of noisy batches a low one is followed by higher ones
        level = min(level, ramp(rise.of_fall, 0.7, 1.3))
    return Divergence(level, rise.height, int(curve.steps[rise.start]))


def _thrown_out(curve: Curve) -> Divergence:
    """Above the first value ever since the first steps, in ratios and in values: a first batch that is low by luck
    stands out in one of them only. A loss that grows by powers of ten up to the end has no spread of values to compare
    with: there, ratios alone will do."""
    first, rest = float(curve.values[0]), curve.values[1 + len(curve) // 10 :]
    none = Divergence(0.0, 0.0, int(curve.steps[0]))
    if len(rest) < 3 or first <= 0 or float(np.quantile(rest, 0.1)) <= first:
        return none
    half = len(curve) // 2
    end = float(np.median(curve.values[half:]))
    gap = math.log(end / first)
    spread, ratios = robust_spread(curve.values[half:]), robust_spread(curve.ratios[half:])
    floor = 0.1 if len(curve) >= 20 else 0.3
    in_values = ramp(end - first, 1.5 * spread, 3 * spread + 1e-300)
    if end > 2 * float(np.median(curve.values[1:half])):
        in_values = max(in_values, ramp(gap, *BEYOND_LUCK))
    level = min(in_values, ramp(gap, 2 * ratios + floor, 4 * ratios + floor + 0.2), ramp(gap, 0.2, 0.7))
    at = int(np.argmax(curve.values > math.sqrt(first * end)))
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


@dataclass(frozen=True)
class SteadyRise:
    """`change` is the fitted log ratio from first to last, `size` places it between harmless and gross."""

    level: float
    size: float
    change: float
    z: float


@once
def steady_rise(run: Run) -> SteadyRise:
    """Rising significantly over the whole run and its first third, never having fallen by more than noise.

    2 % of the level is little, 10 % is not; a smaller rise counts when the validation loss rises with it.
    """
    loss = training_loss(run)
    if len(loss) < 8:
        return SteadyRise(0.0, 0.0, 0.0, 0.0)
    x, y = loss.binned_ratios
    whole = trend(x, y)
    early = trend(x[: max(5, len(x) // 3)], y[: max(5, len(y) // 3)])
    start = max(float(y[0]), float(np.median(y[: max(1, len(y) // 10)])))
    dipped = start - float(np.quantile(y, 0.05)) > 3 * whole.noise + 0.3 * max(0.0, whole.change)
    rises = whole.rises or (len(loss) < 20 and size_z(whole, x, y) >= SIGNIFICANT)
    steady = rises and early.change > 0 and not dipped and whole.change > 0.5 * whole.noise
    size = ramp(whole.change, 0.02, 0.1)
    if whole.z >= 4 and _validation_rises(run) and not _rate_is_new(run):
        size = max(size, 0.6)
    certain = max(whole.z, size_z(whole, x, y) if len(loss) < 20 else 0.0)
    level = min(ramp(certain, 2.5, 4), size) if steady else 0.0
    return SteadyRise(level, size, whole.change, whole.z)


def _validation_rises(run: Run) -> bool:
    validation = validation_loss(run)
    if len(validation) < 4:
        return False
    course = trend(validation.steps.astype(np.float64), validation.values)
    # With four evaluations, strict order is all the evidence there can be.
    return course.rises or (course.change > 0 and bool(np.all(np.diff(validation.values) > 0)))


def _rate_is_new(run: Run) -> bool:
    """A rate that is still climbing disturbs a trained model for a while."""
    rate = learning_rate(run)
    return rate is not None and rate.warming


def _do_now_heads_wrong_way(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: every step moves away from the goal."


@sign(
    "loss-heads-wrong-way",
    questions.FALLS,
    "outcome",
    bad_from=0.8,
    doubt_from=0.5,
    end="step",
    do_now=_do_now_heads_wrong_way,
    unless={networks_compete: 0.4, in_balance: 0.0, reinforced: 0.4},
)
def loss_heads_wrong_way(run: Run) -> Measured | str:
    """Whether the training loss climbs steadily from the very start, as when a sign is wrong."""

    loss = training_loss(run)
    if len(loss) < 8:
        return "fewer than eight training losses were recorded"
    rise = steady_rise(run)
    values = {"first": loss.first, "last": loss.last, "relative_rise": rise.change, "z": rise.z}
    if rise.level < 0.5:
        text = f"Training loss goes from {num4(loss.first)} to {num4(loss.last)} (smoothed; trend z = {rise.z:.1f})."
        return Measured(rise.change, text, level=rise.level, values=values)
    text = (
        f"Training loss rises from the start ({moment(run, int(loss.steps[0]))}) on: from {num4(loss.first)} to "
        f"{num4(loss.last)} (smoothed; {percent(min(rise.change, 99.0))} by its trend)."
    )
    severity: Severity = "critical" if rise.change >= 0.5 else "warning" if rise.size >= 0.6 else "info"
    return Measured(rise.change, text, level=rise.level, onset=int(loss.steps[0]), severity=severity, values=values)


@sign("loss-negative-unbounded", questions.FALLS, "outcome", doubt_from=0.5, end="step")
def loss_negative_unbounded(run: Run) -> Measured | str:
    """Whether the loss falls below zero and goes on falling without slowing down.

    A negative log-likelihood may well be negative, but its fall slows as it converges. Here the last third falls at
    least as fast as the middle third, to well below the distance it started above zero.
    """

    loss = training_loss(run)
    if len(loss) < 9:
        return "fewer than nine training losses were recorded"
    values = {"first": loss.first, "last": loss.last}
    if loss.last >= 0:
        return Measured(0.0, f"Training loss ends at {num4(loss.last)}, not below 0.", severity="info", values=values)
    bins = in_bins(loss.values, BINS)
    third = len(bins) // 3
    middle = float(np.median(bins[third : third + 3]) - np.median(bins[2 * third - 2 : 2 * third + 1]))
    last = float(np.median(bins[2 * third : 2 * third + 3]) - np.median(bins[-3:]))
    pace = last / middle if middle > 0 else 0.0
    # A likelihood that begins near zero is soon many times as far below it: a nat is the least that counts.
    depth = -loss.last / max(abs(loss.first), 1.0)
    # A fall that slows to two thirds per third of the run converges; one that keeps its pace does not.
    falls = trend(np.arange(2.0 * third), bins[-2 * third :]).falls
    falls = falls and trend(np.arange(float(third)), bins[-third:]).falls  # noise has paces too
    level = min(ramp(pace, 0.65, 0.95), ramp(depth, 1.0, 3.0)) if last > 0 and falls else 0.0
    onset = int(loss.steps[int(np.argmax(loss.values < 0))])
    text = (
        f"Training loss falls below zero at {moment(run, onset)} and ends at {num4(loss.last)}; its last third falls "
        f"{pace:.2g} times as fast as its middle third."
    )
    severity: Severity = "critical" if level >= 0.8 else "warning"
    return Measured(
        loss.last, text, level=level, onset=onset, severity=severity, values=values | {"pace": pace, "depth": depth}
    )


@sign("early-instability", questions.FALLS, "outcome", severity="info", unless={networks_compete: 0.0})
def early_instability(run: Run) -> Measured | str:
    """How far the loss rises above its start within the first tenth of the run before it settles.

    Measured as a ratio of the highest early level to the first loss, against the noise of the settled course;
    gradient norms that spike within the first twentieth, before their usual size, count for half. Only where the
    run later falls below its start: what never settles is loss-diverged.
    """

    loss = training_loss(run)
    if len(loss) < 10 or is_excerpt(run):
        return "the start of the run, or ten training losses, were not recorded"
    y = loss.ratios
    window = max(5, len(loss) // 10)
    few = max(1, window // 20)
    start = float(np.median(y[:few]))
    peak = few + int(np.argmax(y[few:window]))
    height = float(y[peak]) - start
    settled = float(np.median(y[window:])) < start
    # Early batches may be noisier than the settled course: their own differences set the yardstick as well.
    noise = max(spread_of_differences(y[window:]), spread_of_differences(y[:window]) if len(loss) >= 50 else 0.0, 0.01)
    level = min(ramp(height / noise, 5, 10), ramp(height, math.log(1.3), math.log(2.5))) if settled else 0.0
    norms = _norm_spike(gradient_norm(run)) if settled else 0.0
    values = {
        "first": loss.first,
        "peak": float(loss.values[peak]),
        "peak_step": int(loss.steps[peak]),
        "log_ratio": height,
        "norm_spike": norms,
    }
    combined = max(level, 0.5 * norms)
    if combined < 0.5:
        return Measured(
            height,
            f"Training loss begins at {num4(loss.first)} and then reaches at most {num4(values['peak'])} in the first "
            "tenth of the run.",
            level=combined,
            values=values,
        )
    if level >= 0.5:
        text = (
            f"Training loss rises from {num4(loss.first)} to {num4(values['peak'])} by "
            f"{moment(run, int(values['peak_step']))} before it settles."
        )
    else:
        text = "Gradient norm spikes within the first twentieth of the run and then settles."
    return Measured(height, text, level=combined, onset=int(loss.steps[peak]), values=values)


def _norm_spike(norm: Curve) -> float:
    """Early norms against the settled ones and against the very first."""
    if len(norm) < 40 or norm.values.min() <= 0:
        return 0.0
    early = norm.values[: len(norm) // 20]
    usual = float(np.quantile(norm.values[len(norm) // 10 :], 0.95))
    return ramp(float(early.max()) / max(usual, float(norm.values[0])), 10, 100, log=True)
