"""Adds to a diagnosis the solved case that it resembles most. The ranking stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..diagnosis import Diagnosis, SimilarCase
from ..signs import all_signs
from .case import Case

SIMILAR = 0.6  # share of the raised signs' weight that both runs show
ENOUGH = 3.0  # weight of what both show
RAISED = 0.5  # level from which a sign is raised
WEIGHTS = {"fault": 3.0, "condition": 1.5, "outcome": 1.0, "dynamics": 1.0}  # settings and successes tell no faults


def with_similar_case(diagnosis: Diagnosis, path: Path | None = None) -> Diagnosis:
    """The diagnosis with the most similar solved case, newest first among equals; unchanged where there is none.

    Only a cause that this run's own signs leave possible is mentioned: a case must not suggest what the measurements
    have excluded. A history that cannot be read is no reason to fail here; `traindx history` says what is wrong.
    """
    from .store import History, HistoryError

    if diagnosis.verdict not in ("sick", "inconclusive") or not diagnosis.signs:
        return diagnosis
    try:
        cases = History(path).cases()
    except (HistoryError, OSError):
        return diagnosis
    levels = {name: sign.level for name, sign in diagnosis.signs.items()}
    possible = {hypothesis.cause for hypothesis in diagnosis.hypotheses}
    scored = [(similarity(levels, case.signature), case) for case in cases if case.cause in possible]
    best, found = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if found is None or best < SIMILAR:
        return diagnosis
    return replace(diagnosis, similar=_told(found, best))


def _told(case: Case, score: float) -> SimilarCase:
    return SimilarCase(
        id=case.id or 0,
        script=case.script,
        date=case.date[:10],
        cause=case.cause,
        verdict=case.verdict,
        fix=case.fix,
        effect=str(case.effect),
        similarity=score,
    )


def similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two runs are by their signs, from 0 to 1; 0 as well where both show too little in common to compare.

    Only signs that were measured in both count, so that a log can be compared with an observed run. Of these, the
    raised ones make up a run's signature: a fault that was caught in the act says most about the cause, a curve least.
    Two runs are similar when most of what either shows is shown by both, and when that is enough to mean something: one
    fault or three weaker signs. `python -m benchmarks.history` measures how often the causes then agree.
    """
    units = all_signs()
    shared = either = 0.0
    for sign in one.keys() & other.keys():
        weight = WEIGHTS.get(units[sign].shows, 0.0) if sign in units else 0.0
        levels = [level if level >= RAISED else 0.0 for level in (one[sign], other[sign])]
        shared += weight * min(levels)
        either += weight * max(levels)
    return shared / either if shared >= ENOUGH else 0.0
