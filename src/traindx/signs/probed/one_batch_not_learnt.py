"""Whether the loop, fed one batch again and again, learns it by heart.

Any sound combination of model, loss and optimizer can. A loss that stays near that of an answer which ignores the input
is level 1; one that got a good part of the way is less. Where the batch was still being learnt when the steps ended,
nothing can be said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...record import Run
from ...record.values import number, text
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp

ID = "one-batch-not-learnt"
QUESTION = questions.EXPERIMENTS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = run.fact("memorise")
    result = text(found.get("result"))
    if result not in ("learnt", "stuck", "not finite"):
        return Missing(ID, text(found.get("why_not")) or "the loop was not trained on one batch alone")
    steps, first, last = (number(found.get(key)) for key in ("steps", "first", "last"))
    words = (
        f"trained on one batch for {num(steps or 0)} steps, the loss goes from {num(first or 0)} to {num(last or 0)}"
    )
    if result == "learnt":
        return Sign(ID, 0.0, 0.0, words)
    left = _left(found, first, last) if result == "stuck" else 1.0
    # At a tenth of the way that may be left the batch counts as learnt; at half of it, it was not.
    level = max(0.5, ramp(left, 0.1, 0.5))
    tried = [number(other.get("factor")) for other in run.entries("memorise/other_rates")]
    rates = " nor at " + " and ".join(num(f) for f in tried if f) + " times the learning rate" if any(tried) else ""
    helped = any(text(other.get("result")) == "learnt" for other in run.entries("memorise/other_rates"))
    what = (
        " and then becomes NaN/Inf"
        if result == "not finite"
        else ": the batch is not learned" + ("" if helped else rates)
    )
    return Sign(ID, left, level, words + what, onset=0, severity=if_raised(level, "critical"), values={"left": left})


def _left(found: Mapping[str, Any], first: float | None, last: float | None) -> float:
    """The share of the way from the trivial answer to the floor that is left."""
    floor, trivial = number(found.get("floor")), number(found.get("trivial"))
    if first is None or last is None:
        return 1.0
    base, top = floor or 0.0, min(first, trivial) if trivial is not None else first
    return min(1.0, max(0.0, (last - base) / (top - base))) if top > base else 1.0
