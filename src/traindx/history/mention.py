"""Adds the most similar solved case to a diagnosis. It does not change the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..diagnosis import Diagnosis, SimilarCase
from ..signs import all_signs

SIMILAR = 0.6  # share of the weight of all raised signs that the signs raised in both runs need
ENOUGH = 3.0  # weight that the signs raised in both runs need
RAISED = 0.5  # level from which on a sign is raised
WEIGHTS = {"fault": 3.0, "condition": 1.5, "outcome": 1.0, "dynamics": 1.0}  # other signs say nothing about a fault


def with_similar_case(diagnosis: Diagnosis, path: Path | None = None) -> Diagnosis:
    """Add the most similar solved case, the newest among equals. Without one the diagnosis is unchanged.

    A case is mentioned only if the signs of this run do not exclude its cause. A history that cannot be read is ignored
    here; `traindx history` says what is wrong with it.
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
    similar = SimilarCase(
        id=found.id or 0,
        script=found.script,
        date=found.date[:10],
        cause=found.cause,
        verdict=found.verdict,
        fix=found.fix,
        effect=str(found.effect),
        similarity=best,
    )
    return replace(diagnosis, similar=similar)


def similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return how similar two runs are by their signs, from 0 to 1.

    Only signs that were measured in both runs count, so that a log can be compared with an observed run. Raised signs
    have weights: a fault that was seen directly says most about the cause, a curve least. The similarity is the weight
    of the signs that are raised in both runs over that of the signs raised in either. It is 0 if the runs have less in
    common than one fault or three weaker signs. `python -m benchmarks.history` measures how often the causes agree.
    """
    units = all_signs()
    shared = either = 0.0
    for sign in one.keys() & other.keys():
        weight = WEIGHTS.get(units[sign].shows, 0.0) if sign in units else 0.0
        levels = [level if level >= RAISED else 0.0 for level in (one[sign], other[sign])]
        shared += weight * min(levels)
        either += weight * max(levels)
    return shared / either if shared >= ENOUGH else 0.0
