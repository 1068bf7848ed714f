"""The gradient noise scale from several batches at the same weights, with its interval, against the batch in use.

This describes one moment more exactly than the running estimate that `noise-scale-large` and `noise-scale-small` judge.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign
from .._deep import looks_at

ID = "noise-scale-at-end"
QUESTION = questions.BATCH
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    looks = looks_at(run, "noise_scale")
    if not looks:
        return Missing(ID, "the gradient noise scale was not measured at single steps")
    step, last = looks[-1]
    value, low, high, batch = (number(last.get(key)) for key in ("value", "low", "high", "batch"))
    if batch is None or batch <= 0:
        return Missing(ID, "the batch size of the noise scale is not known")
    if value is None:
        # No signal rose above the noise of these batches; the lower end is what can be said.
        words = f"more than {num(low)} samples" if low is not None else "too large to measure with these batches"
        return Sign(ID, (low or batch) / batch, 0.0, f"the gradient noise scale at step {num(step)} is {words}")
    interval = f"at least {num(low or 0)}" if high is None else f"{num(low or 0)} to {num(high)}"
    words = f"about {num(value)} samples (90 % interval: {interval}; batch size {num(batch)})"
    return Sign(ID, value / batch, 0.0, f"the gradient noise scale at step {num(step)} is {words}")
