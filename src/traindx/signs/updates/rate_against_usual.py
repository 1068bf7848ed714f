"""The learning rate against what people use with the same optimizer: above, below."""

from __future__ import annotations

from dataclasses import dataclass

from ...record import Run
from ...record.values import entries, number, text
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._params import fits_a_network
from .._rate import learning_rate

ABOVE, BELOW = "rate-above-usual", "rate-below-usual"
# torch's defaults, or where those are placeholders (SGD, RMSprop) what tutorials and papers use.
USUAL = {
    "Adam": 1e-3, "AdamW": 1e-3, "NAdam": 2e-3, "RAdam": 1e-3, "Adamax": 2e-3, "SparseAdam": 1e-3, "Lion": 1e-4,
    "RMSprop": 1e-3, "Adagrad": 1e-2, "Adafactor": 1e-2, "ASGD": 1e-2, "SGD": 0.1,
}  # fmt: skip


def above(run: Run) -> Sign | Missing:
    """How far the learning rate lies above what people use with this optimizer.

    Models differ in the learning rate that they bear, but not by any factor: ten times the usual one is bold, a hundred
    times rarely goes well. This is experience, not a measurement of the run, and only adds to what the run shows.
    """
    found = _usual_rate(run)
    if found is None:
        return Missing(ABOVE, "the optimizer or its learning rate is not known")
    level = ramp(found.ratio, 10.0, 100.0, log=True)
    words = (
        f", {num(found.ratio)} times the typical {num(found.usual)}"
        if level
        else f" (about {num(found.usual)} is typical)"
    )
    return _sign(ABOVE, level, found, words)


def below(run: Run) -> Sign | Missing:
    """How far the learning rate lies below what people use with this optimizer.

    Fine-tuning takes a hundredth of the usual rate, and a loss that is summed over its samples a smaller one still:
    that lies within a factor of a hundred, beyond a thousand hardly anything trains.
    """
    found = _usual_rate(run)
    if found is None:
        return Missing(BELOW, "the optimizer, or its learning rate, is not known")
    if any(call.reduction == "sum" for call in run.training_losses):
        return Missing(BELOW, "the loss is a sum over samples, for which no learning rate is typical")
    level = ramp(1.0 / found.ratio, 30.0, 1000.0, log=True)
    return _sign(BELOW, level, found, f" (about {num(found.usual)} is typical)")


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
    for optimizer in run.entries("optimizers"):
        name = text(optimizer.get("class"))
        groups = entries(optimizer.get("groups"))
        if name not in USUAL or not groups or not number(optimizer.get("steps")):
            continue
        stated = number(groups[0].get("lr"))
        course = learning_rate(run)
        peak = max(stated or 0.0, course.peak if course is not None else 0.0)
        momentum = number(groups[0].get("momentum")) or 0.0
        if name == "SGD" and 0 <= momentum < 1:
            peak /= 1 - momentum
        return _UsualRate(name, peak, USUAL[name]) if peak > 0 else None
    return None


def _sign(sign_id: str, level: float, found: _UsualRate, words: str) -> Sign:
    # With momentum the user's own lr is another number than the effective one.
    sgd = found.name == "SGD"
    what = "the effective learning rate of SGD, lr/(1 - momentum)," if sgd else f"the learning rate of {found.name}"
    return Sign(
        sign_id,
        found.ratio,
        level,
        f"{what} is {num(found.peak)}{words}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"rate": found.peak, "usual": found.usual},
    )


SIGNS = (
    SignUnit(ABOVE, above, questions.STEPS, "setting"),
    SignUnit(BELOW, below, questions.STEPS, "setting"),
)
