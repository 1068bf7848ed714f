"""The gradient noise scale (the batch at which noise and signal are equal) against the batch in use.

Up to twenty times the batch is ordinary for the median of a run: averaged over steps such gradients still make
progress, and at the end the signal is spent in every healthy run. Hundreds mean that single gradients carry next to no
signal.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._noise import noise_against_batch

ID = "noise-scale-large"
QUESTION = questions.BATCH
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = noise_against_batch(run)
    if found is None:
        return Missing(ID, "no estimate of the gradient noise scale against a known batch size")
    scale, batch = found.typical, found.batch
    ratio = scale / batch
    level = ramp(ratio, 30.0, 300.0, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"the gradient noise scale is about {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}",
        severity=if_raised(level, "warning"),
        values={"noise_scale": scale, "batch": batch},
    )
