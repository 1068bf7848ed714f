"""The size of regression targets against 1, the size of an untrained output: their root mean square.

Up to ten is covered in a few steps; a thousand keeps the last bias travelling for the whole run.
"""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._inputs import root_mean_square

ID = "target-scale-large"
QUESTION = questions.DATA
SHOWS = "condition"
RIVAL = ("scale", 2.0)
CHECK = checks.SCALES


def measure(run: Run) -> Sign | Missing:
    targets = run.fact("targets/train")
    size = root_mean_square(targets)
    calls = [call for call in run.training_losses if call.kind]
    if size is None or targets.get("kind") != "values" or (calls and all(c.kind not in REGRESSION for c in calls)):
        return Missing(ID, "no regression targets were looked at")
    level = ramp(size, 10.0, 1000.0, log=True)
    return Sign(
        ID,
        size,
        level,
        f"target RMS is {num(size)} (mean {num(number(targets.get('mean')) or 0.0)}, std "
        f"{num(number(targets.get('std')) or 0.0)}; an untrained output is about 1)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"rms": size},
    )
