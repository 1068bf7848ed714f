"""The size of the inputs against 1, the size that initialisations assume: their root mean square.

0.05 to 5 covers images in [0, 1] and standardised features; raw pixels up to 255 give about 130. Token ids have no
size, nor have inputs that are all zero. Where a model scales its inputs itself, what its first layers get counts.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._inputs import real_inputs, root_mean_square, size_within

ID = "input-scale-odd"
QUESTION = questions.DATA
SHOWS = "condition"
RIVAL = ("scale", 1.5)
CORE = True
CHECK = checks.SCALES


def measure(run: Run) -> Sign | Missing:
    stats = real_inputs(run, "train")
    given = root_mean_square(stats) if stats is not None else None
    if stats is None or given is None:
        return Missing(ID, "no floating-point inputs were looked at")
    size = size_within(run) or given
    if size == 0:
        return Missing(ID, "all inputs looked at are zero")
    level = max(ramp(size, 5.0, 100.0, log=True), ramp(size, 0.05, 0.001, log=True))
    return Sign(
        ID,
        size,
        level,
        f"input RMS is {num(size)}{' at the first layer' if size != given else ''} (about 1 is typical)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"rms": size, "min": stats.get("min"), "max": stats.get("max")},
    )
