"""How many runs, folds or resumed stretches the log holds. The other signs look at the longest."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from ..curve import split_runs

ID = "several-runs"
QUESTION = questions.TRAINED
SHOWS = "scope"


def measure(run: Run) -> Sign | Missing:
    series = run.series("loss/train") or run.series("loss/validation")
    if not series:
        return Missing(ID, "no loss was recorded")
    log = run.facts.get("log")
    told = log.get("runs") if isinstance(log, dict) else None
    pieces = split_runs(series)
    count = max(len(pieces), told if isinstance(told, int) else 1, 1)
    if count == 1:
        return Sign(ID, 1.0, 0.0, "The record holds one run.", values={"runs": 1})
    lengths = [len(piece) for piece in reversed(pieces)]
    at = f"; the one looked at has {max(lengths)} points" if len(lengths) > 1 else ""
    text = f"The record holds {count} runs one after the other{at}."
    return Sign(ID, float(count), 1.0, text, None, "info", {"runs": count, "lengths": lengths[:50]})
