"""Tests whether two starts of the script agree. If they do not, differences between runs may be chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from .launch import Plan, ProbeError, Script, Start, Trial, launch
from .memorising import by_step

STEPS = 10
SECONDS = 8.0

Result = Literal["same", "seed", "different", "unknown"]


@dataclass(frozen=True)
class Starts:
    """`same`: the script sets all seeds itself. `seed`: starts agree only if they begin from the same seed, which the
    script does not set. `different`: they differ even with the same seed."""

    result: Result
    steps: int = 0
    differs_at: int | None = None
    why_not: str | None = None

    def facts(self) -> dict[str, Any]:
        return asdict(self)


def begin(script: Script, seed: int, start: Start | None = None) -> Trial | ProbeError:
    """The first steps, started from this seed; the script may set its own."""
    try:
        return launch(script, Plan("first-steps", {"steps": STEPS, "seconds": SECONDS}, seed=seed), start)
    except ProbeError as error:
        return error


def compare(first: Trial, other_seed: Trial | ProbeError, same_seed: Trial | ProbeError) -> Starts:
    """Compare the losses. `first` and `same_seed` started from one seed, `other_seed` from another."""
    for trial in (other_seed, same_seed):
        if isinstance(trial, ProbeError):
            return Starts("unknown", why_not=str(trial))
        if trial.error:
            return Starts("unknown", why_not=f"the script failed: {trial.error}")
    assert isinstance(other_seed, Trial) and isinstance(same_seed, Trial)
    steps, at = _first_difference(first, same_seed)
    if not steps:
        return Starts("unknown", why_not="no loss of the first steps was seen")
    if at is not None:
        return Starts("different", steps, at)
    steps, at = _first_difference(first, other_seed)
    return Starts("same", steps) if at is None else Starts("seed", steps, at)


def _first_difference(one: Trial, other: Trial) -> tuple[int, int | None]:
    """The number of steps compared, and the first step at which the losses differ."""
    a, b = by_step(one.run), by_step(other.run)
    # A step that the time limit cut short has seen only some of its micro-batches.
    length = min(len(a), len(b), one.updates, other.updates, STEPS)
    unequal = np.flatnonzero(~((a[:length] == b[:length]) | (np.isnan(a[:length]) & np.isnan(b[:length]))))
    return length, (int(unequal[0]) if len(unequal) else None)
