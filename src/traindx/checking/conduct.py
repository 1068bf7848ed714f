"""Makes the whole check of a script: first steps, then one batch and two starts side by side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..diagnosis import Diagnosis, diagnose
from ..probes import memorising
from ..probes import starts as starting
from ..probes.launch import Plan, Script, Start, error_line, launch, stop_all
from ..probes.nursery import nursery
from ..probes.overlay import with_facts
from ..record import Run
from ..signs import measure_all
from . import data, probed
from ._base import GROUPS, Answer, CheckReport
from .questions import QUESTIONS, answer

STEPS = 60  # enough for the schedule's deep looks and for label order; a small script makes them in a second or two
SECONDS = 10.0
OTHER_RATES = (0.1, 10.0)
AT_ONCE = 3
ENDED_BY_US = ("undertrained",)


def check_script(script: Script, steps: int = memorising.STEPS, seconds: float = SECONDS) -> CheckReport:
    """Raises `ProbeError` where the script cannot be probed at all."""
    with nursery(script) as start:
        return report(str(script), examine(script, start, steps, seconds))


def examine(
    script: Script, start: Start, steps: int = memorising.STEPS, seconds: float = SECONDS, fresh: Start | None = None
) -> Run:
    """The run of the first steps, with what the other trials found as facts."""
    options = {"steps": STEPS, "seconds": seconds, "evaluation": True, "wiring": True}
    with _pool() as pool:
        # The first steps run alone, because they are timed; the rest share the machine.
        first = launch(script, Plan("first-steps", options), start)
        one_batch = pool.submit(memorising.memorise, script, 1.0, steps, seconds, start)
        # A fresh process: another seed also means another order of sets of strings.
        other = pool.submit(starting.begin, script, 1, fresh)
        same = pool.submit(starting.begin, script, 0, start)
        further: list[memorising.Memorised] = []
        if one_batch.result().result in ("stuck", "not finite"):
            futures = [pool.submit(memorising.memorise, script, f, steps, seconds, start) for f in OTHER_RATES]
            further = [future.result() for future in futures]
        other_seed, same_seed = other.result(), same.result()
    started = starting.compare(first, other_seed, same_seed)
    facts = {
        "memorise": one_batch.result().facts(),
        "memorise/other_rates": [trial.facts() for trial in further],
        "starts": started.facts(),
    }
    return with_facts(first.run, facts)


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """Threads that are not waited for when the user has had enough."""
    pool = ThreadPoolExecutor(min(AT_ONCE, os.cpu_count() or 1))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()
        raise
    pool.shutdown()


def report(source: str, run: Run) -> CheckReport:
    """From a run with the probes' facts to answers."""
    answers = answers_of(run)
    return CheckReport(source, answers, run, _diagnosis(source, run, answers))


def _diagnosis(source: str, run: Run, answers: list[Answer]) -> Diagnosis:
    """The diagnosis of the first steps, with the check's own verdict: it was the check that ended the run."""
    statuses = {each.status for each in answers}
    found = diagnose(run)
    failed = [each for each in answers if each.status == "failed"]
    return replace(
        found,
        source=source,
        verdict="sick" if failed else "inconclusive" if "doubtful" in statuses else "healthy",
        summary=f"{len(failed)} checks failed: {', '.join(each.id for each in failed)}"
        if failed
        else "no check failed",
        hypotheses=[each for each in found.hypotheses if each.cause not in ENDED_BY_US],
    )


def answers_of(run: Run) -> list[Answer]:
    signs = measure_all(run)
    found = [
        _went_through(run),
        data.varied(run),
        *(answer(question, signs) for question in QUESTIONS),
        *probed.dependence(run),
    ]
    facts: dict[str, Any] = dict(run.facts)
    if facts.get("memorise"):
        found.append(probed.memorised(facts["memorise"], facts.get("memorise/other_rates") or [], found))
    if facts.get("starts"):
        found.append(probed.starts(facts["starts"]))
    return sorted(found, key=lambda each: GROUPS.index(each.group))


def _went_through(run: Run) -> Answer:
    made = f"{run.steps} steps"
    if run.facts.get("error"):
        return Answer("runs", "start", "failed", f"the script failed at step {run.steps}: {error_line(run)}")
    if "exit" not in run.facts:
        return Answer("runs", "start", "doubtful", f"the time limit ended the script after {made}")
    ended = ", then the script ended by itself" if run.facts.get("probe") and run.facts["exit"] == "ok" else ""
    return Answer("runs", "start", "passed", f"{made} were made{ended}")
