"""The share of steps that the loss scaler skipped because it found non-finite gradients.

A scaler starts too high on purpose and skips its first steps to find its scale, so the first twenty do not count; later
it tries a doubling every two thousand steps. More than one in fifty is no search any more.
"""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._precision import precision

ID = "steps-skipped"
QUESTION = questions.PRECISION
SHOWS = "dynamics"
SEARCH = 20


def measure(run: Run) -> Sign | Missing:
    formats = precision(run)
    skipped = run.events_of("step-skipped")
    if not skipped and (formats is None or not formats.scaler):
        return Missing(ID, "no loss scaler was seen")
    # Skipped steps repeat a step number: a run in which every step was skipped never counts past 0.
    attempts = run.steps + len(skipped)
    late = max(0, len(skipped) - SEARCH)
    share = late / max(attempts - SEARCH, 1)
    level = ramp(min(share, 1.0), 0.02, 0.3)
    return Sign(
        ID,
        min(share, 1.0),
        level,
        f"the loss scaler skipped {len(skipped)} of {attempts} steps ({percent(share)} after its first {SEARCH})",
        onset=skipped[0].step if skipped else None,
        severity=if_raised(level, "warning"),
        values={"skipped": len(skipped), "attempts": attempts},
    )
