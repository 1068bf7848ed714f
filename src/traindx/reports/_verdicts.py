"""The words for a verdict and for a run's end, shared by all HTML pages."""

from __future__ import annotations

from typing import NamedTuple

from ..diagnosis import Diagnosis
from .text import ENDINGS, VERDICTS


class State(NamedTuple):
    key: str  # sick, suspected, healthy, inconclusive or out-of-scope
    word: str
    mark: str  # distinguishes verdicts without colour


MARKS = {"sick": "▲", "suspected": "◆", "healthy": "✓", "inconclusive": "?", "out-of-scope": "→"}


def state(diagnosis: Diagnosis) -> State:
    key = "suspected" if diagnosis.suspected else diagnosis.verdict
    return State(key, VERDICTS[key][0].capitalize(), MARKS[key])


def ending(diagnosis: Diagnosis) -> list[str]:
    """How the run ended, as a list of one text; empty if unknown."""
    return [ENDINGS.get(diagnosis.exit, f"ended with {diagnosis.exit}")] if diagnosis.exit else []
