"""From a run with the probes' facts to answers and a verdict."""

from __future__ import annotations

from dataclasses import replace

from ...record import Run
from ...signs import measure_all
from ...signs.checks import GROUPS
from ..diagnose import diagnose
from ..model import HEALTHY
from ..types import Diagnosis, Verdict
from . import data, experiments
from .from_signs import answers_of_signs
from .types import Answer, CheckReport

ENDED_BY_US = ("undertrained",)


def judge_check(source: str, run: Run) -> CheckReport:
    """From a run with the probes' facts to answers."""
    answers = answers_of(run)
    return CheckReport(source, answers, run, _diagnosis(source, run, answers))


def _diagnosis(source: str, run: Run, answers: list[Answer]) -> Diagnosis:
    """The diagnosis of the first steps, with the check's own verdict: it was the check that ended the run."""
    found = diagnose(run)
    further = [test for test in found.next_tests if not test.command.startswith("traindx check")]  # it was just made
    found = replace(found, next_tests=further)
    failed = [each.id for each in answers if each.status == "failed"]
    causes = [each for each in found.hypotheses if each.cause not in ENDED_BY_US]
    if failed:
        causes = [each for each in causes if each.cause != HEALTHY]  # a failed check rules `healthy` out
        return replace(found, source=source, verdict="sick", summary=f"{_checks(failed)} failed.", hypotheses=causes)
    doubtful = [each.id for each in answers if each.status == "doubtful"]
    if found.verdict in ("sick", "out-of-scope"):
        return replace(found, source=source, hypotheses=causes)
    verdict: Verdict = "inconclusive" if doubtful or found.suspected else "healthy"
    summary = f"No check failed; worth a look: {', '.join(doubtful)}." if doubtful else "No check failed."
    return replace(found, source=source, verdict=verdict, summary=summary, hypotheses=causes)


def _checks(ids: list[str]) -> str:
    return f"{len(ids)} check{'s' if len(ids) > 1 else ''} ({', '.join(ids)})"


def answers_of(run: Run) -> list[Answer]:
    signs = measure_all(run)
    found = [_went_through(run), data.varied(run), *_earned(run, answers_of_signs(signs)), *experiments.dependence(run)]
    if run.memorise:
        found.append(experiments.memorised(run, found))
    if run.starts:
        found.append(experiments.same_start(run))
    return sorted(found, key=lambda each: _place(each.group))


def _place(group: str) -> int:
    """A third party's sign may name a group of its own: it comes last."""
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)


def _earned(run: Run, answers: list[Answer]) -> list[Answer]:
    """A question about steps is not passed by a training that made none."""
    if run.steps or not run.error:
        return answers
    why = "training failed before its first step"
    return [
        Answer(each.id, each.group, "unasked", why) if each.status == "passed" and each.group != "data" else each
        for each in answers
    ]


def _went_through(run: Run) -> Answer:
    made = f"{run.steps} steps"
    if run.error:
        return Answer("runs", "start", "failed", f"training failed at step {run.steps}: {run.error.line}")
    if not run.exit:
        return Answer("runs", "start", "doubtful", f"the time limit ended the script after {made}")
    ended = ", then the script ended by itself" if run.probe and run.exit == "ok" else ""
    return Answer("runs", "start", "passed", f"{made} were made{ended}")
