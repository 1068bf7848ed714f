"""The learning rate against the usual one, and the number of updates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...record import Run
from ...wording import counted, num
from .. import questions
from .._base import Measured, Scale, Unless, ramp, sign
from .._data import AMPLE_UPDATES, ORDINARY_BATCH, SCARCE_UPDATES, SMALL_BATCH, effective_batch, updates_per_epoch
from .._rate import learning_rate
from .._steps import fits_a_network, needs_whole_set

# torch's defaults, or where those are placeholders (SGD, RMSprop) what tutorials and papers use.
USUAL = {
    "Adam": 1e-3, "AdamW": 1e-3, "NAdam": 2e-3, "RAdam": 1e-3, "Adamax": 2e-3, "SparseAdam": 1e-3, "Lion": 1e-4,
    "RMSprop": 1e-3, "Adagrad": 1e-2, "Adafactor": 1e-2, "ASGD": 1e-2, "SGD": 0.1,
}  # fmt: skip

RANGE, RANGE_TEST = 100.0, "it rose a hundredfold until the run ended, as in a range test"


@sign("rate-above-usual", questions.STEPS, "setting", severity="warning", from_start=True)
def rate_above_usual(run: Run) -> Measured | str:
    """How far the learning rate lies above what people use with this optimizer.

    Models differ in the learning rate that they bear, but not by any factor: ten times the usual one is bold, a hundred
    times rarely goes well. This is experience, not a measurement of the run, and only adds to what the run shows. A
    learning rate that rises a hundredfold until the run ends belongs to a range test.
    """
    found = _usual_rate(run)
    if found is None:
        return "the optimizer or its learning rate is not known"
    level = ramp(found.ratio, 10.0, 100.0, log=True)
    words = (
        f", {num(found.ratio)} times the typical {num(found.usual)}"
        if level
        else f" (about {num(found.usual)} is typical)"
    )
    course = learning_rate(run)
    range_test = course is not None and course.warming and course.curve.values[0] <= course.peak / RANGE
    return replace(_of_rate(level, found, words), unless=Unless(range_test, RANGE_TEST))


@sign("rate-below-usual", questions.STEPS, "setting", severity="warning", from_start=True)
def rate_below_usual(run: Run) -> Measured | str:
    """How far the learning rate lies below what people use with this optimizer.

    Fine-tuning takes a hundredth of the usual rate, and a loss that is summed over its samples a smaller one still:
    that lies within a factor of a hundred, beyond a thousand hardly anything trains.
    """
    found = _usual_rate(run)
    if found is None:
        return "the optimizer, or its learning rate, is not known"
    if any(call.reduction == "sum" for call in run.training_losses):
        return "the loss is a sum over samples, for which no learning rate is typical"
    level = ramp(1.0 / found.ratio, 30.0, 1000.0, log=True)
    return _of_rate(level, found, f" (about {num(found.usual)} is typical)")


@dataclass(frozen=True)
class _UsualRate:
    name: str  # of the optimizer
    peak: float  # the highest learning rate of the run; for SGD divided by 1 - momentum
    usual: float

    @property
    def ratio(self) -> float:
        return self.peak / self.usual


def _usual_rate(run: Run) -> _UsualRate | None:
    """The first stepping optimizer's peak learning rate and the usual one; None where either is not known.

    Momentum m makes each gradient count 1/(1-m) times; plain SGD's usual rate is given for m = 0. The usual rates are
    those of networks: scripts that fit a few numbers, positions or pixels use others.
    """
    if not fits_a_network(run):
        return None
    for optimizer in run.optimizers:
        name, groups = optimizer.class_name, optimizer.groups
        if name not in USUAL or not groups or not optimizer.steps:
            continue
        stated = groups[0].setting("lr")
        course = learning_rate(run)
        peak = max(stated or 0.0, course.peak if course is not None else 0.0)
        momentum = groups[0].setting("momentum") or 0.0
        if name == "SGD" and 0 <= momentum < 1:
            peak /= 1 - momentum
        return _UsualRate(name, peak, USUAL[name]) if peak > 0 else None
    return None


def _of_rate(level: float, found: _UsualRate, words: str) -> Measured:
    # With momentum the user's own lr is another number than the effective one.
    sgd = found.name == "SGD"
    what = "the effective learning rate of SGD, lr/(1 - momentum)," if sgd else f"the learning rate of {found.name}"
    return Measured(
        found.ratio,
        f"{what} is {num(found.peak)}{words}",
        level,
        values={"rate": found.peak, "usual": found.usual},
    )


@sign("few-updates", questions.FALLS, "dynamics", Scale(150.0, 50.0, log=True), severity="info", end="step")
def few_updates(run: Run) -> Measured | str:
    """Few updates in all: a few dozen teach a network little, however well each of them is made.

    Small tasks take some hundred; below fifty hardly any network that starts at random has arrived. Optimizers that
    search along each direction do many evaluations for one update and are left out.
    """
    if run.kind != "observed" or run.steps <= 0:
        return "updates were not counted: the rows of a log may be epochs"
    if needs_whole_set(run) or not fits_a_network(run):
        return "the optimizer runs a line search, or no network is trained"
    return Measured(
        run.steps, f"the run made {counted(run.steps, 'update')} (hundreds are typical)", values={"steps": run.steps}
    )


@sign("few-updates-per-epoch", questions.BATCH, "setting")
def few_updates_per_epoch(run: Run) -> Measured | str:
    """Few updates in an epoch, and few in all.

    Fewer than 30 an epoch is sparse, 5 is a handful. It costs only where the epochs do not make up for it: a thousand
    updates in all leave most small tasks solved, whatever the epoch holds, so full-batch training for long is not
    meant.
    """
    each = updates_per_epoch(run)
    if each is None or run.steps <= 0:
        return "no training loader of known length was seen"
    level = ramp(each, 30.0, 5.0, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    batch = effective_batch(run)
    if batch is not None:  # an epoch over a handful of samples cannot hold more updates
        level *= ramp(batch, SMALL_BATCH, ORDINARY_BATCH, log=True)
    return Measured(
        each,
        f"updates per epoch: about {num(each)}; in the whole run: {run.steps:,.0f}",
        level,
        values={"per_epoch": each, "steps": run.steps},
        unless=Unless(needs_whole_set(run), "the optimizer needs the same samples at every step"),
    )
