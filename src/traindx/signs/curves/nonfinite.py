"""Numbers that are lost: NaN and Inf, and a loss scale that finds no place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import Run, Series
from ...record.types import FloatArray
from ...wording import num, num4, percent
from .. import checks, questions
from .._base import Measured, Severity, Sign, ramp, sign
from .._fall import falls
from .._moments import growth, half_precision, happened_at
from .._rate import learning_rate
from .._validation import passes_on_nothing
from ..curve import Curve, curve_of, ended, gradient_norm, moment, stop, training_loss

VALIDATION = "loss/validation"
NAMES = {"loss/train": "training loss", VALIDATION: "validation loss", "grad_norm": "gradient norm"}
SATURATED = (-math.log(np.finfo(np.float32).tiny), math.log(np.finfo(np.float32).max))  # 87.3365 and 88.7228
BLOWN_UP = 100.0  # times the usual loss, just before a stretch of zeros
FIRST_STEPS = 8  # recorded losses before it
ORDINARY = 10  # losses before it that show a course
FEWEST_NORMS = 5  # before it: norms are heavy-tailed, so fewer have no usual size
RARE = 0.02  # of the points; loss scaling skips a step in some hundred to a thousand
HALVINGS = (5.0, 8.0)
GROWTH_INTERVAL = 2000  # steps after which a scaler tries a doubling, the default of PyTorch and Apex
OFTEN = (0.05, 0.2)  # of the rows with an overflow, where a row covers few steps
TIMES_USUAL = (3.0, 6.0)
FEWEST = 5  # overflows


@dataclass(frozen=True)
class Bad:
    name: str
    shown: str
    onset: int
    count: int
    points: int
    lasting: bool
    at_end: bool = False  # the first bad point is the last one: whether it recovers is not known

    @property
    def share(self) -> float:
        return self.count / self.points


def _do_now_not_finite(sign: Sign, run: Run) -> str:
    """Only non-finite losses that last need action."""
    if not sign.values.get("lasting") or sign.onset is None:
        return ""
    if sign.onset == int(run.series("loss/train").steps.min(initial=0)):
        return f"{stop(run)}: no step of it was finite, so there is no checkpoint to go back to."
    training = run.series("loss/train")
    if sign.values.get("name") == "loss/train" and (training.steps < sign.onset).sum() < FIRST_STEPS:
        return f"{stop(run)}: it was lost within its first steps, so there is no checkpoint to go back to."
    if sign.values.get("name") == VALIDATION and len(training) and bool(np.isfinite(training.values).all()):
        return "Do not choose a checkpoint by the validation loss: it is NaN/Inf, while the training loss is finite."
    known = (sign.values.get(name) for name in ("grad_norm_lost_at", "grad_norm_grown_at", "loss_grown_at"))
    before = moment(run, min([sign.onset, *(int(step) for step in known if step is not None)]))
    if ended(run):
        return f"Do not resume from a checkpoint after {before}: its weights are lost."
    return f"Stop the run and resume from the last checkpoint before {before}: the weights of later ones are lost."


@sign(
    "loss-not-finite",
    questions.FINITE,
    "outcome",
    core=True,
    bad_from=0.7,
    doubt_from=0.5,
    may_be_meant=False,
    check=checks.FIRST_STEPS,
    do_now=_do_now_not_finite,
)
def loss_not_finite(run: Run) -> Measured | str:
    """Whether the loss, or a gradient norm with it, is NaN or infinite, and whether it recovers.

    From some step to the end: the run is lost (level 1). Single bad points with good ones after them: mixed
    precision skips such steps by design, so they are worth a note only (level 0.5, severity info). Logs also hide a
    lost run behind substitutes, which count as well: a loss of exactly 0.0 from one point to the next (beside a NaN
    norm, or to the end), Caffe's saturated 87.3365, or columns that go on while the loss cell stays empty.
    """

    # The mean over no samples is NaN, which says nothing about the model: `validation-empty` tells of it.
    names = [name for name in NAMES if name != VALIDATION or not passes_on_nothing(run)]
    series = [s for s in (run.series(name) for name in (*names, *_of_networks(run))) if s]
    events = [e.step for e in run.events_of("nonfinite-loss") if e.step is not None]
    if not series and not events:
        return "no loss was recorded"
    substitutes = (_substitute(s, run) for s in series if s.name in NAMES)
    found = [bad for bad in (*map(_nonfinite, series), *substitutes) if bad is not None]
    empty = _empty_cells(run)
    if empty is not None:
        found.append(empty)
    if not any(bad.lasting for bad in found):
        found += _broken_norms(run)
    if events and not any(bad.name == "loss/train" for bad in found):
        last = int(run.series("loss/train").steps.max(initial=-1))
        found.append(Bad("loss/train", "NaN", min(events), len(events), max(run.steps, 1), max(events) >= last))
    if not found:
        points = sum(len(s) for s in series)
        text = f"All {points} recorded losses and gradient norms are finite."
        return Measured(0.0, text, severity="info", values={"points": points})
    worst = max(found, key=lambda bad: (_level(bad), bad.name == "loss/train", -bad.onset))
    level = _level(worst)
    severity: Severity = "critical" if level >= 0.9 else "warning" if level > 0.5 else "info"
    clauses, beside = _beside(run, worst)
    text = f"{_text(run, worst)[:-1]}{''.join('; ' + clause for clause in clauses)}."
    values = vars(worst) | {"share": worst.share} | beside
    return Measured(worst.share, text, level=level, onset=worst.onset, severity=severity, values=values)


def _beside(run: Run, bad: Bad) -> tuple[list[str], dict[str, Any]]:
    """What the record shows at the onset: the precision, a gradient norm that had grown, a learning rate step."""
    clauses: list[str] = []
    values: dict[str, Any] = {"precision": half_precision(run)}
    if values["precision"]:
        clauses.append("the run computes in float16")
    earlier = _norm_lost_before(run, bad)
    if earlier is not None:
        word, step = earlier
        values["grad_norm_lost_at"] = step
        clauses.append(f"the gradient norm is {word} already at {moment(run, step)}")
    for name, what, curve, fewest in (
        ("grad_norm", "gradient norm", gradient_norm(run), FEWEST_NORMS),
        ("loss", "loss", training_loss(run), 2),
    ):
        grown = growth(curve, bad.onset, fewest)
        if grown is not None:
            values |= {f"{name}_before": grown.last, f"{name}_usual": grown.usual, f"{name}_grown_at": grown.since}
            if grown.since is not None:
                since = moment(run, grown.since)
                # Exploding gradients name the early median of the norms: one answer has one such number.
                start = f"from {num4(grown.usual)} " if name == "loss" else ""
                clauses.append(f"the {what} had grown {start}to {num4(grown.last)} since {since}")
    loss = training_loss(run)
    ordinary = len(loss.between(-float("inf"), bad.onset)) >= ORDINARY and not clauses
    if bad.lasting and ordinary and bad.name in ("loss/train", "grad_norm"):
        clauses.append("nothing had grown before it")
    for found in happened_at(run, bad.onset, loss) if len(loss) > 1 else []:
        if found.what in ("lr-rose", "restart"):
            clauses.append(found.words)
            values[found.what] = dict(found.values)
    rate = learning_rate(run)
    if rate is not None:
        before = rate.curve.between(-float("inf"), bad.onset)
        values["lr_before"] = before.final if len(before) else None
        if len(before) and before.final == 0:
            clauses.append("the learning rate was 0 before it")
    return clauses, values


def _norm_lost_before(run: Run, bad: Bad) -> tuple[str, int] | None:
    """What the gradient norm is, and since when, where it was lost before the loss and did not recover."""
    norms = run.series("grad_norm")
    if bad.name == "grad_norm" or not bad.lasting or not norms:
        return None
    finite = np.isfinite(norms.values)
    last_good = int(norms.steps[finite].max(initial=-1))
    lost = np.flatnonzero(~finite & (norms.steps > last_good) & (norms.steps < bad.onset))
    if not len(lost):
        return None
    return ("NaN" if np.isnan(norms.values[lost[0]]) else "Inf"), int(norms.steps[lost[0]])


def _broken_norms(run: Run) -> list[Bad]:
    """Norms of single layers or of the weights that are lost to the end: no sum over them can be finite."""
    norms = [run.series(name) for name in run.series_names if name.startswith("raw/") and "norm" in name.lower()]
    return [bad for norm in norms if norm and (bad := _nonfinite(norm)) is not None and bad.lasting]


def _level(bad: Bad) -> float:
    if bad.lasting:
        return 1.0 if bad.name.startswith("loss/") else 0.9
    return 0.5 + 0.4 * ramp(bad.share, RARE, 0.2) if bad.count > 2 else 0.5


def _nonfinite(series: Series) -> Bad | None:
    bad = ~np.isfinite(series.values)
    if not bad.any():
        return None
    good = np.flatnonzero(~bad)
    first_lasting = int(good[-1]) + 1 if len(good) else 0
    run_out = len(bad) - first_lasting
    # One bad norm at the end says nothing; a bad loss there is where a run stopped.
    lasting = run_out >= (1 if series.name.startswith("loss/") or not len(good) else 2)
    at = first_lasting if lasting else int(np.flatnonzero(bad)[0])
    shown = "NaN" if np.isnan(series.values[at]) else "Inf"
    return Bad(series.name, shown, int(series.steps[at]), int(bad.sum()), len(bad), lasting, at == len(bad) - 1)


def _substitute(series: Series, run: Run) -> Bad | None:
    """A last stretch of one constant that stands for a number that could not be shown."""
    points = series.finite
    if series.name == "grad_norm" or not points:
        return None
    values = points.values
    for shown, same in (
        ("0.0", values == 0.0),
        ("a saturated constant", np.min([np.abs(values - c) for c in SATURATED], axis=0) < 2e-3),
    ):
        other = np.flatnonzero(~same)
        begin = int(other[-1]) + 1 if len(other) else 0
        stretch = len(values) - begin
        if stretch == 0 or not _implausible(shown, points, begin, run):
            continue
        return Bad(series.name, shown, int(points.steps[begin]), stretch, len(values), True)
    return None


def _implausible(shown: str, points: Series, begin: int, run: Run) -> bool:
    if shown != "0.0":
        return len(points) - begin >= 2
    norms = run.series("grad_norm")
    later = norms.values[norms.steps >= points.steps[begin]]
    if len(later) and bool(np.isnan(later).mean() > 0.5):
        return True
    if (
        begin >= 1
        and len(points) - begin >= 2
        and points.values[begin - 1] > BLOWN_UP * np.median(points.values[:begin])
    ):
        return True  # from a blow-up to nothing in one point
    if begin < 3 or len(points) - begin < 3:
        return False  # a loss of 0.0 from the start is what some objectives print
    before = points.values[max(0, begin - 12) : begin]
    return bool(
        before[-2:].min() > 0.5 * np.median(before) > 0
    )  # a loss that gets there by itself slows down or slides


def _empty_cells(run: Run) -> Bad | None:
    """A log that goes on being written row by row where the losses used to stand beside the other columns."""
    loss, validation = run.series("loss/train"), run.series("loss/validation")
    if not run.log or len(loss) < 5:
        return None
    last = int(max(loss.steps.max(), validation.steps.max(initial=0)))
    for name in ("lr", *(other for other in run.series_names if other.startswith("raw/"))):
        column = run.series(name)
        beside = np.isin(column.steps[column.steps <= last], loss.steps)
        later = int((column.steps > last).sum())
        if len(column) >= 8 and later >= max(3, 0.05 * len(column)) and len(beside) and beside.mean() >= 0.95:
            onset = int(column.steps[column.steps > last].min())
            return Bad("loss/train", "empty", onset, later, later + len(loss), True)
    return None


def _of_networks(run: Run) -> dict[str, str]:
    """The losses of a log's several networks, by series, as the log calls them."""
    called = run.log.networks
    return {f"loss/train/{place}": name for place, name in enumerate(called)}


def _text(run: Run, bad: Bad) -> str:
    what = NAMES.get(bad.name) or _of_networks(run).get(bad.name, bad.name.removeprefix("raw/"))
    what = what[:1].upper() + what[1:] if bad.name in NAMES else f"The column {what}"
    if bad.lasting:
        return f"{what} is {bad.shown} from {moment(run, bad.onset)} to the end ({bad.count} of {bad.points} points)."
    if bad.at_end:
        return f"{what} is {bad.shown} at {moment(run, bad.onset)}, the last recorded point."
    if bad.count == 1:
        return f"{what} is {bad.shown} at {moment(run, bad.onset)} only and recovers."
    first = moment(run, bad.onset)
    return f"{what} is {bad.shown} at {bad.count} of {bad.points} points, first at {first}, and recovers."


@sign("loss-scale-collapsed", questions.FINITE, "dynamics", severity="critical")
def loss_scale_collapsed(run: Run) -> Measured | str:
    """Whether mixed precision finds a loss scale that works: how far the scale falls, and how often steps overflow.

    A scaler halves the scale at each overflow and tries a doubling after every two thousand clean steps: a few
    halvings are how it finds its place, and one overflow in two thousand steps is how it keeps it. Six halvings in
    a row without recovery, or a scale below one, mean that the gradients overflow at any scale; several times the
    usual overflows after the first tenth of the run mean that no scale holds. Overflows are counted by the steps
    that a log reports as skipped, else by the rows in which the scale has been lowered.
    """

    scale, skipped = curve_of(run.series("loss_scale")), curve_of(run.series("steps_skipped"))
    if len(scale) >= 3 and scale.values.max() <= 0 and falls(training_loss(run)):
        return "the loss scale is 0 at all recorded points, but the loss falls: none is used"
    if len(scale) < 3 and len(skipped) < 3:
        return "neither the loss scale nor skipped steps were recorded"
    found = [_overflows(run, skipped if len(skipped) >= 3 else scale, len(skipped) >= 3)]
    if len(scale) >= 3:
        found.insert(0, _collapse(run, scale))
    return max(found, key=lambda one: one.level or 0.0)


def _collapse(run: Run, scale: Curve) -> Measured:
    peak, last = float(scale.values.max()), float(scale.values[-1])
    if peak <= 0:  # the record begins after the collapse
        text = f"Loss scale is about 0 at all {len(scale)} recorded points: every step overflows."
        return Measured(0.0, text, level=1.0, onset=int(scale.steps[0]), values={"peak": peak, "last": last})
    halvings = math.log2(peak / max(last, 2.0**-60 * peak))
    level = max(ramp(halvings, *HALVINGS), 1.0 if last < 1.0 else 0.0) if halvings > 1 else 0.0
    values = {"peak": peak, "last": last, "halvings": halvings}
    text = f"Loss scale ends at {num(last)}; its highest value was {num(peak)}"
    if level < 0.5:
        return Measured(halvings, f"{text}.", level=level, values=values)
    start = int(scale.steps[min(int(np.flatnonzero(scale.values >= peak)[-1]) + 1, len(scale) - 1)])
    since = moment(run, start)
    text = f"Loss scale collapses from {num(peak)} to {num(last)} from {since} on: nearly every step overflows."
    return Measured(halvings, text, level=level, onset=start, values=values)


def _overflows(run: Run, curve: Curve, counted: bool) -> Measured:
    """How large a share of the rows after the first tenth shows an overflow, beside what a sound scaler shows."""
    overflowed = _rows(curve.values, counted)
    late = overflowed[len(overflowed) // 10 :]
    share = float(np.mean(late)) if len(late) else 0.0
    usual = curve.spacing / GROWTH_INTERVAL if run.step_unit == "step" else 1.0
    limits = (max(least, times * usual) for least, times in zip(OFTEN, TIMES_USUAL, strict=True))
    level = ramp(share, *limits) if int(late.sum()) >= FEWEST else 0.0
    what = "steps were skipped" if counted else "the loss scale was lowered"
    text = f"In {percent(share)} of the rows after the first tenth {what}."
    if level < 0.5:
        return Measured(share, text, level=level, values={"overflow_share": share})
    start = int(curve.steps[int(np.argmax(overflowed))])
    text = f"Gradients overflow again and again from {moment(run, start)} on: {text[0].lower()}{text[1:]}"
    return Measured(share, text, level=level, onset=start, values={"overflow_share": share})


def _rows(values: FloatArray, counted: bool) -> FloatArray:
    """1 for each row with an overflow. A column that never goes back adds its overflows up."""
    steps = np.diff(values, prepend=values[:1])
    if not counted:
        return (steps < 0).astype(np.float64)
    adds_up = bool(np.all(steps >= 0)) and values.max() > 1
    return ((steps if adds_up else values) > 0).astype(np.float64)
