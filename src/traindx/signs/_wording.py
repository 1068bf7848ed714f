"""Numbers of curves: four digits are what a loss curve can bear."""

from __future__ import annotations

from functools import partial

from ..record import Run
from ..wording import number as plain_number
from ..wording import percent, times

__all__ = ["change", "moment", "number", "percent", "times"]

number = partial(plain_number, digits=4)


def moment(run: Run, step: int) -> str:
    """`epoch 12` where a log counts epochs, `row 12` where it counts nothing, else `step 12`."""
    unit = run.fact("log").get("step_unit")
    return f"{unit if unit in ('epoch', 'row') else 'step'} {step}"


def change(share: float) -> str:
    """A rise as people say it: `3.4 %`, `41 %`, `6.2 times` from a trebling on."""
    if share >= 2:
        return f"{1 + share:.3g} times"
    return percent(share)


def ended(run: Run) -> bool:
    """Whether the run is known to be over; a log does not tell."""
    return run.facts.get("exit") not in (None, "running")


def stop(run: Run) -> str:
    """How an advice against further steps begins."""
    return "Do not train on" if ended(run) else "Stop the run"
