"""Adds to a diagnosis the solved case that it resembles most. The ranking stays as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..diagnosis import Diagnosis, SimilarCase
from .case import Case
from .similarity import SIMILAR, similarity


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
