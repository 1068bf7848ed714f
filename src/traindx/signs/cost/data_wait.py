"""The share of a step's time spent waiting for data, after the first tenth of the steps.

Above one half the step waits longer than it computes. A loader needs a few milliseconds per batch in any case, which
toy models cannot hide and nobody needs to fix: the wait must be longer than that.
"""

from __future__ import annotations

from ...record import Run
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._tables import typical

ID = "data-wait"
QUESTION = questions.TIME
SHOWS = "condition"
CORE = True
CHECK = checks.LOADER_WAIT


def measure(run: Run) -> Sign | Missing:
    wait, total = typical(run, "time/data", 0.1), typical(run, "time/total", 0.1)
    if wait is None or total is None or total <= 0 or len(run.series("time/data").finite) < 5:
        return Missing(ID, "the time spent waiting for data was not measured")
    # On an accelerator the times of forward and backward only cover launching the kernels. Elsewhere they are the whole
    # step, and the rest is traindx's own overhead: a probe measures much more often than a plain run.
    if run.fact("probe") or run.facts.get("devices") == ["cpu"]:
        total = sum(typical(run, f"time/{part}", 0.1) or 0.0 for part in ("data", "forward", "backward", "step"))
        if total <= 0:
            return Missing(ID, "the time spent waiting for data was not measured")
    share = min(max(wait / total, 0.0), 1.0)
    level = ramp(share, 0.4, 0.75) * ramp(wait, 0.002, 0.01, log=True)
    loaders = run.training_loaders
    workers = loaders[0].workers if loaders else None
    return Sign(
        ID,
        share,
        level,
        f"{percent(share)} of a step is spent waiting for data ({num(1000 * wait)} of {num(1000 * total)} ms)"
        + (f" with {counted(workers, 'worker')}" if workers is not None else "")
        + (place(loaders[0].site) if loaders else ""),
        severity=if_raised(level, "warning"),
        values={"wait": wait, "total": total},
    )
