"""Steps whose gradient still contained the one of the step before, because nothing cleared it.

The observer counts them, so the share of the steps of an optimizer, or of those made by hand, is the measure.
Accumulating on purpose clears after each step and counts none.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number, text
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "grads-kept"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 3.0)
CORE = True
CHECK = checks.GRADIENTS_CLEARED


def measure(run: Run) -> Sign | Missing:
    worst: tuple[float, float, float, str] | None = None
    by_hand = {"class": "the script's own update", **run.fact("by_hand")}
    for optimizer in [*run.entries("optimizers"), by_hand]:
        # In a fast loop most steps are not observed in full; older records do not say how many were.
        kept = number(optimizer.get("grads_kept"))
        steps = number(optimizer.get("steps_heard", optimizer.get("steps")))
        if kept is not None and steps is not None and steps >= 2:
            worst = max(worst or (0.0, 0.0, 0.0, ""), (kept / steps, kept, steps, text(optimizer.get("class"))))
    if worst is None:
        return Missing(ID, "no optimizer, and no update by hand, with at least two steps was seen")
    share, kept, steps, name = worst
    event = next(iter(run.events_of("grads-kept")), None)
    # One leftover at the border of two phases is housekeeping; a script that never clears does it every step.
    level = ramp(share, 0.05, 0.5) if kept >= 2 else 0.0
    where = place(event.data.get("site")) if event else ""
    return Sign(
        ID,
        min(share, 1.0),
        level,
        f"zero_grad() was not called before {num(kept)} of the {num(steps)} steps of {name or 'the optimizer'} checked "
        f"({percent(share)}){where}"
        if kept
        else f"zero_grad() was called before all {num(steps)} steps of {name or 'the optimizer'} checked",
        onset=event.step if event else None,
        severity=if_raised(level, "critical"),
        values={"kept": kept, "steps": steps},
    )
