"""Whether one term of the loss is so large that another, which has something to learn, stays at the level of guessing.

Judged are terms with targets: their value over that of answering with the batch's mean (or its class frequencies). A
term to which the script itself gives a small weight is meant to be small. Penalties on the weights have a sign of their
own.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..curve import means_little
from ..terms import Term, loss_terms, why_missing

ID = "term-hidden"
QUESTION = questions.LOSS_INPUTS
SHOWS = "condition"
END = "light"
FEWEST_STEPS = (100.0, 300.0)
TIMES = (30.0, 300.0)  # as large as the other, over the run


def measure(run: Run) -> Sign | Missing:
    reason = why_missing(run)
    if reason:
        return Missing(ID, reason)
    if means_little(run):
        return Missing(ID, "terms of adversarial networks and of reinforcement learning do not measure progress")
    terms = loss_terms(run)
    judged = [term for term in terms if len(term.of_mean) >= 4 and not _meant_small(term)]
    if not judged:
        return Missing(ID, "no term of the loss has targets to compare it with")
    rivals = [(t, u) for u in judged for t in terms if t is not u and not t.is_penalty]
    if not rivals:
        return Missing(ID, "no other term of the loss could hide it")
    level, large, hidden = max(((_level(run, t, u), t, u) for t, u in rivals), key=lambda found: found[0])
    times, left = _times(large, hidden), hidden.of_mean.last
    text = (
        f"{large.label} is {num(times)} times as large as {hidden.label}, which ends at {percent(left)} of the loss of "
        "predicting the mean."
    )
    values = {"times": times, "left": left, "large": large.curve.first, "hidden": hidden.curve.first}
    return Sign(ID, times, level, text, 0 if level >= 0.5 else None, if_raised(level, "warning"), values)


def _meant_small(term: Term) -> bool:
    return term.is_divergence or term.is_penalty or (term.weight is not None and abs(term.weight) < 0.999)


def _times(large: Term, hidden: Term) -> float:
    """The median, over the looks, of how many times as large one term is."""
    steps = np.intersect1d(large.curve.steps, hidden.curve.steps)
    one, other = (np.abs(t.curve.values[np.isin(t.curve.steps, steps)]) for t in (large, hidden))
    return float(np.median(one / np.maximum(other, 1e-30))) if len(steps) else 0.0


def _level(run: Run, large: Term, hidden: Term) -> float:
    dominated = ramp(_times(large, hidden), *TIMES, log=True)
    unlearned = min(ramp(hidden.of_mean.last, 0.9, 0.97), ramp(hidden.curve.last / hidden.curve.first, 0.8, 0.95))
    return min(dominated, unlearned) * ramp(run.steps, *FEWEST_STEPS)
