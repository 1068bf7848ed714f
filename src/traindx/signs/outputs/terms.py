"""The terms of a loss that is a sum."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num, num4, percent
from .. import questions
from .._base import RAISED, Measured, Missing, ramp, sign
from ..curve import means_little, moment
from ..curves.divergence import loss_negative_unbounded
from ..terms import Term, loss_terms, why_missing

FEWEST_STEPS = (100.0, 300.0)
ONLY_COLLAPSED = 0.4  # the level at most where both terms are scaled alike: any fault that stops learning does this
DIVIDED = 0.02  # the factor below which a sum was divided: batches of 32 and more


@sign("posterior-collapsed", questions.LOSS_INPUTS, "condition", from_start=True)
def posterior_collapsed(run: Run) -> Measured | str:
    """Whether a divergence in the loss is driven to zero while the error beside it stays at chance.

    A variational autoencoder that ignores its latent code: the Kullback-Leibler term is about zero, and the
    reconstruction is no better than the mean of the batch. Mostly the divergence is summed where the reconstruction is
    averaged, which multiplies its weight by the number of pixels; without that, other faults that stop learning have
    the same effect. A model that has learned lies far below the loss of the mean.
    """
    reason = why_missing(run, of_largest=True)
    if reason:
        return reason
    terms = loss_terms(run)
    pairs = [(d, e) for d in terms if d.about.divergence for e in terms if e is not d and len(e.of_mean) >= 4]
    if not pairs:
        return "the loss has no divergence beside an error whose scale is known"
    level, divergence, error = max(((_driven_to_zero(run, d, e), d, e) for d, e in pairs), key=lambda found: found[0])
    late, left = _late(run, divergence), error.of_mean.last
    seen = len(divergence.since(run.steps / 2)) > 0
    when = "in the second half of the run" if seen else f"at {moment(run, divergence.curve.final_step)}"
    text = (
        f"{divergence.label} adds {num(late)} to the loss {when}; {error.label} {'ends' if seen else 'is'} at "
        f"{percent(left)} of the loss of predicting the mean"
    )
    if level >= RAISED and _unlike_reductions(divergence, error):
        text += "; one is summed over samples and units, the other is a mean"
    values = {"left": left, "divergence": late, "error": error.curve.last}
    return Measured(left, f"{text}.", level, values=values)


def _late(run: Run, term: Term) -> float:
    half = term.since(run.steps / 2)
    return half.last if len(half) else term.curve.last


def _driven_to_zero(run: Run, divergence: Term, error: Term) -> float:
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
    summed = [term for term in (one, other) if term.about.reduction == "sum"]
    divided = any(term.about.weight is not None and abs(term.about.weight) < DIVIDED for term in summed)
    return {one.about.reduction, other.about.reduction} == {"sum", "mean"} and not divided


TIMES = (30.0, 300.0)  # as large as the other, over the run


@sign("term-hidden", questions.LOSS_INPUTS, "condition", from_start=True, end="light")
def term_hidden(run: Run) -> Measured | str:
    """Whether one term of the loss is so large that another, which has something to learn, stays at the level of
    guessing.

    Judged are terms with targets: their value over that of answering with the batch's mean (or its class frequencies).
    A term to which the script itself gives a small weight is meant to be small. Penalties on the weights have a sign of
    their own.
    """
    reason = why_missing(run)
    if reason:
        return reason
    if means_little(run):
        return "terms of adversarial networks and of reinforcement learning do not measure progress"
    terms = loss_terms(run)
    judged = [term for term in terms if len(term.of_mean) >= 4 and not _meant_small(term)]
    if not judged:
        return "no term of the loss has targets to compare it with"
    rivals = [(t, u) for u in judged for t in terms if t is not u and not t.about.penalty]
    if not rivals:
        return "no other term of the loss could hide it"
    level, large, hidden = max(((_hides(run, t, u), t, u) for t, u in rivals), key=lambda found: found[0])
    times, left = _times(large, hidden), hidden.of_mean.last
    text = (
        f"{large.label} is {num(times)} times as large as {hidden.label}, which ends at {percent(left)} of the loss of "
        "predicting the mean."
    )
    values = {"times": times, "left": left, "large": large.curve.first, "hidden": hidden.curve.first}
    return Measured(times, text, level, values=values)


def _meant_small(term: Term) -> bool:
    return (
        term.about.divergence
        or term.about.penalty
        or (term.about.weight is not None and abs(term.about.weight) < 0.999)
    )


def _times(large: Term, hidden: Term) -> float:
    """The median, over the looks, of how many times as large one term is."""
    _, mine, its = np.intersect1d(large.curve.steps, hidden.curve.steps, assume_unique=True, return_indices=True)
    one, other = np.abs(large.curve.values[mine]), np.abs(hidden.curve.values[its])
    return float(np.median(one / np.maximum(other, 1e-30))) if len(mine) else 0.0


def _hides(run: Run, large: Term, hidden: Term) -> float:
    dominated = ramp(_times(large, hidden), *TIMES, log=True)
    unlearned = min(ramp(hidden.of_mean.last, 0.9, 0.97), ramp(hidden.curve.last / hidden.curve.first, 0.8, 0.95))
    return min(dominated, unlearned) * ramp(run.steps, *FEWEST_STEPS)


@sign("term-not-finite", questions.FINITE, "condition", severity="critical")
def term_not_finite(run: Run) -> Measured | str:
    """Which term of the loss is not finite while the others are: it names the line, where the total only says NaN."""
    terms = loss_terms(run)
    if len(terms) < 2:
        return "the loss is not a sum of several terms, or they were not seen"
    broken = [term for term in terms if term.finite_until is not None and _alone(term, terms)]
    if not broken:
        return Measured(0.0, f"no term of the loss ({len(terms)} terms) stops being finite before the others")
    first = min(broken, key=lambda term: term.finite_until or 0)
    step = first.finite_until or 0
    text = f"{first.label} is not finite at {moment(run, step)}, where the other terms of the loss are."
    return Measured(float(step), text, 1.0, onset=step, values={"label": first.label})


def _alone(term: Term, terms: list[Term]) -> bool:
    """Whether some other term was finite at the same look: once weights are NaN, every term is."""
    step = term.finite_until
    return any(step in other.curve.steps.tolist() for other in terms if other is not term)


@sign("term-unbounded", questions.LOSS_INPUTS, "dynamics")
def term_unbounded(run: Run) -> Measured | str:
    """Which term takes a loss below zero without bound: the one that falls by as much as the total does."""
    reason, total = why_missing(run), loss_negative_unbounded.measure(run)
    if reason or isinstance(total, Missing):
        return reason or "fewer than nine training losses were recorded"
    terms = loss_terms(run)
    falls = {term: term.curve.first - term.curve.last for term in terms}
    term = max(falls, key=lambda found: falls[found])
    whole = sum(fall for fall in falls.values() if fall > 0)
    share = falls[term] / whole if whole > 0 else 0.0
    level = total.level * ramp(share, 0.5, 0.9) if term.curve.last < 0 else 0.0
    text = f"{term.label} ends at {num4(term.curve.last)}; it accounts for {percent(share)} of the fall of the loss."
    return Measured(share, text, level, onset=total.onset)
