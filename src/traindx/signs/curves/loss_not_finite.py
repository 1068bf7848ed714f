"""Whether the loss, or a gradient norm with it, is NaN or infinite, and whether it recovers.

From some step to the end: the run is lost (level 1). Single bad points with good ones after them: mixed precision
skips such steps by design, so they are worth a note only (level 0.5, severity info). Logs also hide a lost run
behind substitutes, which count as well: a loss of exactly 0.0 from one point to the next (beside a NaN norm, or to
the end), Caffe's saturated 87.3365, or columns that go on while the loss cell stays empty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import Run, Series
from ...wording import num4
from .. import checks, questions
from .._base import Missing, Severity, Sign, ramp
from .._moments import half_precision, happened_at, norm_growth
from .._rate import learning_rate
from .._validation import passes_on_nothing
from ..curve import ended, moment, stop, training_loss

ID = "loss-not-finite"
QUESTION = questions.FINITE
SHOWS = "outcome"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5
MAY_BE_MEANT = False
CHECK = checks.FIRST_STEPS

VALIDATION = "loss/validation"
NAMES = {"loss/train": "training loss", VALIDATION: "validation loss", "grad_norm": "gradient norm"}
SATURATED = (-math.log(np.finfo(np.float32).tiny), math.log(np.finfo(np.float32).max))  # 87.3365 and 88.7228
GROWN = 5.0  # times its usual size, before the first bad value
RARE = 0.02  # of the points; loss scaling skips a step in some hundred to a thousand


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


def measure(run: Run) -> Sign | Missing:
    # The mean over no samples is NaN, which says nothing about the model: `validation-empty` tells of it.
    names = [name for name in NAMES if name != VALIDATION or not passes_on_nothing(run)]
    series = [s for s in (run.series(name) for name in names) if s]
    events = [e.step for e in run.events_of("nonfinite-loss") if e.step is not None]
    if not series and not events:
        return Missing(ID, "no loss was recorded")
    found = [bad for s in series for bad in (_nonfinite(s), _substitute(s, run)) if bad is not None]
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
        return Sign(ID, 0.0, 0.0, text, values={"points": points})
    worst = max(found, key=lambda bad: (_level(bad), -bad.onset))
    level = _level(worst)
    severity: Severity = "critical" if level >= 0.9 else "warning" if level > 0.5 else "info"
    clauses, beside = _beside(run, worst)
    text = f"{_text(run, worst)[:-1]}{''.join('; ' + clause for clause in clauses)}."
    values = vars(worst) | {"share": worst.share} | beside
    return Sign(ID, worst.share, level, text, worst.onset, severity, values)


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
    norms = norm_growth(run, bad.onset - 1)
    if norms is not None:
        usual, last = norms
        values |= {"grad_norm_before": last, "grad_norm_usual": usual}
        if last > GROWN * usual > 0:
            clauses.append(f"the gradient norm had grown from {num4(usual)} to {num4(last)}")
    loss = training_loss(run)
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
    if begin < 3 or len(points) - begin < 3:
        return False  # a loss of 0.0 from the start is what some objectives print
    before = points.values[max(0, begin - 12) : begin]
    return bool(
        before[-2:].min() > 0.5 * np.median(before) > 0
    )  # a loss that gets there by itself slows down or slides


def _empty_cells(run: Run) -> Bad | None:
    """A log that goes on being written row by row where the losses used to stand beside the other columns."""
    loss, validation = run.series("loss/train"), run.series("loss/validation")
    if "log" not in run.facts or len(loss) < 5:
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


def _text(run: Run, bad: Bad) -> str:
    what = NAMES.get(bad.name, bad.name.removeprefix("raw/"))
    what = what[:1].upper() + what[1:] if bad.name in NAMES else f"The column {what}"
    if bad.lasting:
        return f"{what} is {bad.shown} from {moment(run, bad.onset)} to the end ({bad.count} of {bad.points} points)."
    if bad.at_end:
        return f"{what} is {bad.shown} at {moment(run, bad.onset)}, the last recorded point."
    if bad.count == 1:
        return f"{what} is {bad.shown} at {moment(run, bad.onset)} only and recovers."
    first = moment(run, bad.onset)
    return f"{what} is {bad.shown} at {bad.count} of {bad.points} points, first at {first}, and recovers."


def do_now(sign: Sign, run: Run) -> str:
    """Only non-finite losses that last need action."""
    if not sign.values.get("lasting") or sign.onset is None:
        return ""
    if sign.onset == int(run.series("loss/train").steps.min(initial=0)):
        return f"{stop(run)}: no step of it was finite, so there is no checkpoint to go back to."
    training = run.series("loss/train")
    if sign.values.get("name") == VALIDATION and len(training) and bool(np.isfinite(training.values).all()):
        return "Do not choose a checkpoint by the validation loss: it is NaN/Inf, while the training loss is finite."
    before = moment(run, int(sign.values.get("grad_norm_lost_at", sign.onset)))
    if ended(run):
        return f"Do not resume from a checkpoint after {before}: its weights are NaN/Inf."
    return f"Stop the run and resume from the last checkpoint before {before}; later ones hold NaN/Inf weights."
