"""Non-finite numbers in the batches themselves: in the inputs, in the targets."""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised

NOT_BY_AN_OPERATION = {"nonfinite-from-operation": 0.0}


def inputs(run: Run) -> Sign | Missing:
    """NaN or Inf in the inputs before the model runs. They reach the model unless the script masks them."""
    return _nonfinite(run, "input", "data/train")


def targets(run: Run) -> Sign | Missing:
    """NaN or Inf in the targets before the loss."""
    return _nonfinite(run, "target", "targets/train")


def _nonfinite(run: Run, part: str, statistics: str) -> Sign | Missing:
    """How many non-finite numbers the inputs or targets (`part`) hold."""
    sign_id = f"{part}-nonfinite"
    found = number(run.fact(statistics).get("nonfinite"))
    flags = [event.data.get(f"{part}s_finite") for event in run.events_of("nonfinite-loss")]
    origins = [event for event in run.events_of("nonfinite-origin") if event.data.get("where") == part]
    if found is None and not origins and not any(isinstance(flag, bool) for flag in flags):
        return Missing(sign_id, f"the {part}s were not looked at")
    seen = bool(origins) or False in flags
    corrupted = seen or (found or 0.0) > 0
    level = float(corrupted)
    events = [*run.events_of("nonfinite-loss"), *origins]
    values = f"{num(found)} NaN or Inf values" if found else "NaN or Inf"
    return Sign(
        sign_id,
        found or float(seen),
        level,
        f"the {part}s contain {values} before the model runs" if corrupted else f"all {part}s seen are finite",
        onset=events[0].step if events and level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"nonfinite": found},
    )


SIGNS = (
    SignUnit(
        "input-nonfinite",
        inputs,
        questions.DATA,
        "fault",
        core=True,
        check=checks.FINITE_DATA,
        rival=("number", 4.0),
        excuses=NOT_BY_AN_OPERATION,
    ),
    SignUnit(
        "target-nonfinite",
        targets,
        questions.DATA,
        "fault",
        check=checks.FINITE_DATA,
        rival=("number", 4.0),
        excuses=NOT_BY_AN_OPERATION,
    ),
)
