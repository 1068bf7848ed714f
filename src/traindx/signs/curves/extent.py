"""How much of a training the record shows."""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import counted, num, num4, percent
from .. import questions
from .._base import Measured, ramp, sign
from .._data import updates_per_epoch
from .._excuses import turned
from .._fall import around_zero, objective
from .._rate import learning_rate, rate_left
from .._tables import typical
from .._trend import size_z, trend
from ..curve import TYPICAL_NOISE, Curve, adversarial, moment, score_name, training_loss, validation_loss

_SCORES = ("accuracy/", "metric/")
FEW = 10  # losses of which the first and the last say all that there is
FEWEST_FLAT, FLAT = 3, 0.01  # of them at the end, and how far apart relative to the last
FIRST_PART = 0.05  # of the planned steps
AN_EPOCH = 0.95  # the last batch may be dropped
MANY = 1000  # updates after which a fraction of an epoch of a large set shows something
SOME = 500  # updates that show something of a set of unknown size
TRAVEL = 0.02
THROWN_OUT = 4.0  # times the noise: a last point this far above the half of the run that it ends does not go down


@sign("several-runs", questions.TRAINED, "scope")
def several_runs(run: Run) -> Measured | str:
    """How many runs or folds the log holds, as its reader counted them. The other signs look at one of them."""

    if not run.series("loss/train") and not run.series("loss/validation"):
        return "no loss was recorded"
    count = run.log.runs or 1
    if count == 1:
        return Measured(1.0, "The record holds one run.", level=0.0, values={"runs": 1})
    return Measured(float(count), f"The log holds {count} runs one after the other.", level=1.0, values={"runs": count})


@sign("too-short", questions.TRAINED, "scope")
def too_short(run: Run) -> Measured | str:
    """How many points there are to judge by.

    Five losses show no more than a direction, twenty show a trend. A run that ends within its learning-rate warmup,
    or was stopped within the first few percent of its planned steps, has not begun to train, however many points it
    left. A run that was not observed to its end cannot be judged either.
    """

    if run.kind == "interview":
        return "losses that a person pasted are an excerpt"
    losses = max(len(training_loss(run)), len(validation_loss(run)))
    measured = {len(run.series(name).finite): name for name in run.series_names if name.startswith(_SCORES)}
    points = losses or max(measured, default=0)
    rate = learning_rate(run)
    warming = rate is not None and rate.warming and not rate.curve.begins_late
    if not points and adversarial(run):
        return "the losses of several networks are not one curve"
    why = run.seen_in_part
    planned = run.planned_steps
    cut = planned is not None and run.steps < FIRST_PART * planned
    level = max(ramp(points, 14, 4), 0.7 if warming or why or cut else 0.0)
    values = {"points": points, "warming_up": warming, "planned": planned}
    if cut and not why:
        text = f"Only {run.steps:,} of {planned:,} planned steps {'was' if run.steps == 1 else 'were'} made."
        return Measured(float(points), text, level=level, values=values)
    what = counted(points, "loss" if losses else f"{score_name(measured[points])} value") if points else "no loss"
    if 1 < losses <= FEW:
        course = training_loss(run) if len(training_loss(run)) else validation_loss(run)
        what += f", from {num4(float(course.values[0]))} to {num4(course.final)}"
        late = course.values[-max(FEWEST_FLAT, len(course) // 2) :]
        if len(late) < len(course) and float(np.ptp(late)) <= FLAT * abs(course.final):
            what += ", flat at the end"
    end = f": the run was not observed to its end ({why})" if why else ""
    text = f"The record holds {what}{' and ends while the learning rate is still warming up' if warming else ''}{end}."
    return Measured(float(points), text, level=level, values=values)


@sign("too-early", questions.TRAINED, "scope")
def too_early(run: Run) -> Measured | str:
    """Whether a run is too young for "nothing was learned": before one pass over its own data, every run is at chance.

    Where the planned length is known, `too-short` judges by that. Here it is not known, or the script was done by
    itself:

    - less than one epoch of its own data was seen, in fewer than 1,000 updates; or
    - the run was cut off from outside, nobody knows how large its data are, and it made fewer than 500 updates; or
    - the run was cut off from outside, and all its updates together could have moved the weights by less than 2 % of
      their size, which no learning rate makes up for.

    What was caught in the act, and a loss that is not finite or has diverged, need no time.
    """

    if run.kind != "observed" or run.steps <= 0:
        return "updates were not counted"
    if run.planned_steps is not None:
        return "the planned length is known"
    epoch = updates_per_epoch(run)
    cut = not run.ended_by_itself  # by something else, or it is still in progress
    share = run.steps / epoch if epoch else None
    ratio = typical(run, "update_ratio")
    travel = ratio * run.steps if ratio is not None else None
    values = {"epochs": share, "travel": travel, "cut_off": cut}
    if share is not None and share < AN_EPOCH and run.steps < MANY:
        text = f"the run made {counted(run.steps, 'update')}, {percent(share)} of one pass over its data"
    elif cut and share is None and run.steps < SOME:
        text = f"the run was cut off after {counted(run.steps, 'update')}, and its planned length is not known"
    elif cut and travel is not None and travel < TRAVEL:
        text = f"all {counted(run.steps, 'update')} together could move the weights by {percent(travel)} of their size"
    else:
        passes = f" and {num(share)} passes over its data" if share is not None else ""
        return Measured(
            float(run.steps), f"the run made {counted(run.steps, 'update')}{passes}", level=0.0, values=values
        )
    return Measured(float(run.steps), text, level=0.8, values=values)


@sign("still-improving", questions.FALLS, "dynamics", severity="info", end="step", unless={turned: 0.0})
def still_improving(run: Run) -> Measured | str:
    """What twice the training would bring, by the slope at the end.

    Losses fall roughly with the logarithm of the steps, so the fall over the second half is what a run of twice the
    length may expect again. It counts when it is significant against its noise and worth having (2 % of the level
    is little, 5 % is not), in proportion to the learning rate that is left: a schedule that has run out was not
    stopped early. Without a training loss the validation loss is judged, without any loss the accuracy.
    """

    judged = objective(run)
    if judged is None or len(judged.curve) < 6:
        return "fewer than six losses or accuracies were recorded"
    loss = judged.curve
    if not np.isfinite(run.series("loss/train").values[-1:]).all():
        return "the training loss is NaN/Inf at the end"
    if adversarial(run):
        return "the losses of adversarial networks do not fall"
    if around_zero(loss):
        return "the loss hovers around zero, so its fall has no size"
    half = loss.second_half
    if len(half) < 3:
        return "fewer than three losses in the second half of the run"
    gain, z = _gain(half)
    left = rate_left(run)
    certain = ramp(z, 2.0, 3.5) if _falls_at_end(half) else 0.0
    worth = min(ramp(gain * left, 0.01, 0.035), ramp(_part_of_all(loss, half), 0.001, 0.005))
    level = min(certain, worth)
    values = {
        "series": judged.name, "gain": gain, "z": z, "rate_left": left, "last": loss.final,
        "last_step": loss.final_step,
    }  # fmt: skip
    rate = learning_rate(run)
    tail = "" if rate is None else f", with {percent(rate.last_share)} of the peak learning rate left"
    fell = f"fell by {percent(gain)}" if gain >= 0 else f"rose by {percent(-gain)}"
    text = f"{judged.name} {fell} over the second half of the run (z = {z:.1f}){tail}."
    if level < 0.5:
        return Measured(gain, text, level=level, values=values)
    text = (
        f"{judged.name} was still decreasing when the run ended ({num4(loss.final)} at "
        f"{moment(run, loss.final_step)}): it {fell} over the second half (z = {z:.1f}){tail}."
    )
    return Measured(gain, text, level=level, onset=loss.final_step, values=values)


def _gain(half: Curve) -> tuple[float, float]:
    """Fall over the stretch relative to where it began, and its size in standard errors."""
    x, y = half.binned
    found = trend(x, y)
    size = 1.0 if half.logarithmic else abs(half.last) or half.size
    typical = TYPICAL_NOISE * size / math.sqrt(max(1.0, len(half) / len(y)))
    fall = -found.change
    gain = 1 - math.exp(-fall) if half.logarithmic else fall / (abs(half.last) + max(0.0, fall) or 1.0)
    # Of a smooth course the order tells more, of few points the size.
    return gain, max(-found.z, -size_z(found, x, y, typical))


def _part_of_all(loss: Curve, half: Curve) -> float:
    """The fall over the stretch as a part of the whole run's: after thirteen decades down, 3 % are nothing."""
    x, y = loss.binned
    whole = float(np.max(y) - np.min(y))
    later = y[np.searchsorted(x, half.steps[0]) :]
    return float(np.median(later[:3]) - np.median(later[-3:])) / whole if whole > 0 and len(later) > 2 else 0.0


def _falls_at_end(half: Curve) -> bool:
    """The last half of the stretch still goes down, by its trend and its level, and does not end above the first."""
    x, y = half.binned
    middle = len(y) // 2
    late = trend(x[middle:], y[middle:])
    before = float(np.median(y[:middle]))
    thrown_out = float(half.y[-1]) > max(before, float(y[0])) + THROWN_OUT * half.noise
    return float(np.median(y[middle:])) < before and not thrown_out and late.change <= 0
