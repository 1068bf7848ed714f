"""The gradient noise scale far below the batch in use: most of each batch is spent on precision nobody needs.

That costs only where updates are scarce: training on the full data for thousands of steps has no noise at all and is
healthy. So the level also asks for fewer than a thousand updates.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._noise import AMPLE_UPDATES, SCARCE_UPDATES, noise_against_batch

ID = "noise-scale-small"
QUESTION = questions.BATCH
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = noise_against_batch(run)
    if found is None or run.steps <= 0:
        return Missing(ID, "no estimate of the gradient noise scale against a known batch size")
    scale, batch = found.noisiest, found.batch
    ratio = scale / batch
    level = ramp(ratio, 0.1, 0.001, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"the gradient noise scale is at most {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}; "
        f"the run made {run.steps} updates",
        values={"noise_scale": scale, "batch": batch, "steps": run.steps},
    )
