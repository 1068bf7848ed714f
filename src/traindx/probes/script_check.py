"""The probe runs that `traindx check` makes of a script: the first steps, then in parallel overfitting one batch and
two more starts.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from ..edits import Project
from ..record import Run
from . import memorising
from .forking import fork_runs
from .launch import Plan, ProbeError, Script, Start, Trial, launch, stop_all
from .memorising import by_step

STEPS = 60  # enough for the scheduled deep looks and to judge label order; a small script needs a second or two
SECONDS = 10.0
OTHER_RATES = (0.1, 10.0)
AT_ONCE = 3
ORDERED_BY_HASH = ("set", "frozenset", "hash")
Tell = Callable[[str], None]  # says what is done now


def silent(_: str) -> None: ...


def measure_script(
    script: Script,
    steps: int = memorising.STEPS,
    seconds: float = SECONDS,
    tell: Tell = silent,
) -> Run:
    """Run all probes of the script. Raises `ProbeError` if the script cannot be probed at all."""
    with fork_runs(script) as start:
        return measure_with(script, start, steps, seconds, tell=tell)


def measure_with(
    script: Script,
    start: Start,
    steps: int = memorising.STEPS,
    seconds: float = SECONDS,
    fresh: Start | None = None,
    tell: Tell = silent,
) -> Run:
    """The run of the first steps; the results of the other trials are added to its facts."""
    options = {"steps": STEPS, "seconds": seconds, "evaluation": True, "wiring": True}
    with _pool() as pool:
        # The first steps run alone because they are timed; the rest share the machine.
        tell(f"first steps: at most {STEPS}, {seconds:g} s")
        first = launch(script, Plan("first-steps", options), start)
        tell(f"{first.updates} steps made; now one batch {steps} times, at most {seconds:g} s, and two more starts")
        one_batch = pool.submit(memorising.memorise, script, 1.0, steps, seconds, start)
        # Only a fresh process has another hash seed, which changes the order of sets of strings. It imports torch anew.
        other = pool.submit(begin_again, script, 1, fresh if _orders_by_hash(first.run) else start)
        same = pool.submit(begin_again, script, 0, start)
        further: list[memorising.Memorised] = []
        if one_batch.result().result in ("stuck", "not finite"):
            tell(f"the batch was not learnt; now with the learning rate times {' and '.join(map(str, OTHER_RATES))}")
            futures = [pool.submit(memorising.memorise, script, f, steps, seconds, start) for f in OTHER_RATES]
            further = [future.result() for future in futures]
        other_seed, same_seed = other.result(), same.result()
    facts = {
        "memorise": asdict(one_batch.result()),
        "memorise/other_rates": [asdict(trial) for trial in further],
        "starts": asdict(compare_starts(first, other_seed, same_seed)),
    }
    return first.run.with_facts(facts)


def _orders_by_hash(run: Run) -> bool:
    """Whether the script's own source uses sets or hashes, so that the hash seed matters; also if that is unknown."""
    project = Project.of(run)
    return project is None or any(
        isinstance(node, (ast.Set, ast.SetComp)) or (isinstance(node, ast.Name) and node.id in ORDERED_BY_HASH)
        for source in project.sources
        for node in ast.walk(source.tree)
    )


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """A thread pool that ends at once, with all its runs, if the block raises (Ctrl-C)."""
    pool = ThreadPoolExecutor(min(AT_ONCE, os.cpu_count() or 1))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()
        raise
    pool.shutdown()


# ── do two starts agree? ──────────────────────────────────────────────────────────────────────────
#
# Tests whether two starts of the script agree. If they do not, differences between runs may be chance.

START_STEPS = 10
START_SECONDS = 8.0

Result = Literal["same", "seed", "different", "unknown"]


@dataclass(frozen=True)
class Starts:
    """`same`: the script sets all seeds itself. `seed`: starts agree only if they begin from the same seed, which the
    script does not set. `different`: they differ even with the same seed."""

    result: Result
    steps: int = 0
    differs_at: int | None = None
    why_not: str | None = None


def begin_again(script: Script, seed: int, start: Start | None = None) -> Trial | ProbeError:
    """The first steps, started from this seed; the script may set its own."""
    try:
        return launch(script, Plan("first-steps", {"steps": START_STEPS, "seconds": START_SECONDS}, seed=seed), start)
    except ProbeError as error:
        return error


def compare_starts(first: Trial, other_seed: Trial | ProbeError, same_seed: Trial | ProbeError) -> Starts:
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
    length = min(len(a), len(b), one.updates, other.updates, START_STEPS)
    unequal = np.flatnonzero(~((a[:length] == b[:length]) | (np.isnan(a[:length]) & np.isnan(b[:length]))))
    return length, (int(unequal[0]) if len(unequal) else None)
