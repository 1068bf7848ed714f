"""Whether a divergence in the loss is driven to zero while the error beside it stays at chance.

A variational autoencoder that ignores its latent code: the Kullback-Leibler term is about zero, and the reconstruction
is no better than the mean of the batch. Mostly the divergence is summed where the reconstruction is averaged, which
multiplies its weight by the number of pixels; without that, other faults that stop learning have the same effect. A
model that has learned lies far below the loss of the mean.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..terms import Term, loss_terms, why_missing

ID = "posterior-collapsed"
QUESTION = questions.LOSS_INPUTS
SHOWS = "condition"
END = "light"
FEWEST_STEPS = (100.0, 300.0)
ONLY_COLLAPSED = 0.4  # the level at most where both terms are scaled alike: any fault that stops learning does this
DIVIDED = 0.02  # the factor below which a sum was divided: batches of 32 and more


def measure(run: Run) -> Sign | Missing:
    reason = why_missing(run)
    if reason:
        return Missing(ID, reason)
    terms = loss_terms(run)
    pairs = [(d, e) for d in terms if d.is_divergence for e in terms if e is not d and len(e.of_mean) >= 4]
    if not pairs:
        return Missing(ID, "the loss has no divergence beside an error whose scale is known")
    level, divergence, error = max(((_level(run, d, e), d, e) for d, e in pairs), key=lambda found: found[0])
    late, left = _late(run, divergence), error.of_mean.last
    text = (
        f"{divergence.label} adds {num(late)} to the loss in the second half of the run; {error.label} ends at "
        f"{percent(left)} of the loss of predicting the mean"
    )
    if level >= 0.5 and _unlike_reductions(divergence, error):
        text += "; one is summed over samples and units, the other is a mean"
    values = {"left": left, "divergence": late, "error": error.curve.last}
    return Sign(ID, left, level, f"{text}.", 0 if level >= 0.5 else None, if_raised(level, "warning"), values)


def _late(run: Run, term: Term) -> float:
    half = term.since(run.steps / 2)
    return half.last if len(half) else term.curve.last


def _level(run: Run, divergence: Term, error: Term) -> float:
    late, size, start = abs(_late(run, divergence)), abs(error.curve.last), abs(divergence.curve.values[0])
    pressed = ramp(late / size, 0.3, 0.1) if size else 0.0
    unlike = _unlike_reductions(divergence, error)
    if unlike and start:
        # A sum over samples and units is compared with itself: beside a mean it is large even when driven to zero.
        pressed = max(pressed, ramp(late / start, 0.05, 0.01, log=True))
    unlearned = ramp(error.of_mean.last, 0.85, 0.97)
    level = min(unlearned, pressed) * ramp(run.steps, *FEWEST_STEPS)
    return level if unlike else min(level, ONLY_COLLAPSED)


def _unlike_reductions(one: Term, other: Term) -> bool:
    """Whether one is a sum and the other a mean. A sum with a small factor was divided by what it runs over."""
    summed = [term for term in (one, other) if term.facts.get("reduction") == "sum"]
    divided = any(term.weight is not None and abs(term.weight) < DIVIDED for term in summed)
    return {one.facts.get("reduction"), other.facts.get("reduction")} == {"sum", "mean"} and not divided
