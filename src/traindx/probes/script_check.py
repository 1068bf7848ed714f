"""The probe runs that `traindx check` makes of a script: the first steps, then in parallel overfitting one batch and
two more starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ..record import Run
from . import memorising, repeatability
from .added_facts import with_facts
from .fork_server import fork_server
from .launch import Plan, Script, Start, launch, stop_all

STEPS = 60  # enough for the scheduled deep looks and to judge label order; a small script needs a second or two
SECONDS = 10.0
OTHER_RATES = (0.1, 10.0)
AT_ONCE = 3


def measure_script(script: Script, steps: int = memorising.STEPS, seconds: float = SECONDS) -> Run:
    """Run all probes of the script. Raises `ProbeError` if the script cannot be probed at all."""
    with fork_server(script) as start:
        return measure_with(script, start, steps, seconds)


def measure_with(
    script: Script, start: Start, steps: int = memorising.STEPS, seconds: float = SECONDS, fresh: Start | None = None
) -> Run:
    """The run of the first steps; the results of the other trials are added to its facts."""
    options = {"steps": STEPS, "seconds": seconds, "evaluation": True, "wiring": True}
    with _pool() as pool:
        # The first steps run alone because they are timed; the rest share the machine.
        first = launch(script, Plan("first-steps", options), start)
        one_batch = pool.submit(memorising.memorise, script, 1.0, steps, seconds, start)
        # This needs a fresh process: another hash seed also changes the order of sets of strings.
        other = pool.submit(repeatability.begin, script, 1, fresh)
        same = pool.submit(repeatability.begin, script, 0, start)
        further: list[memorising.Memorised] = []
        if one_batch.result().result in ("stuck", "not finite"):
            futures = [pool.submit(memorising.memorise, script, f, steps, seconds, start) for f in OTHER_RATES]
            further = [future.result() for future in futures]
        other_seed, same_seed = other.result(), same.result()
    started = repeatability.compare(first, other_seed, same_seed)
    facts = {
        "memorise": one_batch.result().facts(),
        "memorise/other_rates": [trial.facts() for trial in further],
        "starts": started.facts(),
    }
    return with_facts(first.run, facts)


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
