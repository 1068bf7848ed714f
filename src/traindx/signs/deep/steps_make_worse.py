"""Share of the steps looked at that raise the loss of their own batch, computed anew along the step.

A sound step lowers the loss that it was computed from. Noise of other batches plays no part here; momentum and the
bounce at the edge of stability make it rise now and then. At a learning rate that is too high most steps do.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import truth
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._deep import looks_at

ID = "steps-make-worse"
QUESTION = questions.STEPS
SHOWS = "dynamics"
CHECK = checks.STEP_SIZE
FEWEST = 4


def measure(run: Run) -> Sign | Missing:
    looks = [(step, found) for step, found in looks_at(run, "along_step") if truth(found.get("flat")) is not True]
    worse = [step for step, found in looks if truth(found.get("made_worse"))]
    if len(looks) < FEWEST:
        return Missing(ID, f"the loss along the step was computed for fewer than {counted(FEWEST, 'step')}")
    share = len(worse) / len(looks)
    level = ramp(share, 0.4, 0.9)
    return Sign(
        ID,
        share,
        level,
        f"{num(len(worse))} of the {num(len(looks))} steps checked raise the loss of their own batch "
        f"({percent(share)})",
        onset=worse[0] if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"worse": len(worse), "looks": len(looks)},
    )
