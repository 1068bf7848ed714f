"""How an excuse is written: a function of the run that says how far it holds, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps

from ...record import Run
from .._base import Missing, Sign, SignUnit


@dataclass(frozen=True)
class Holds:
    """How far an excuse holds, 0 to 1, with the sentence for either case."""

    level: float
    holds: str
    does_not: str


def excuse(
    sign_id: str, question: str, excuses: Mapping[str, float], end: str = ""
) -> Callable[[Callable[[Run], Holds | str]], SignUnit]:
    """Makes a sign of a function that returns what holds, or the reason why that is not known.

    `excuses`: the signs that mean less where it holds, and what each counts for at most then.
    """

    def unit(judge: Callable[[Run], Holds | str]) -> SignUnit:
        @wraps(judge)
        def measure(run: Run) -> Sign | Missing:
            found = judge(run)
            if isinstance(found, str):
                return Missing(sign_id, found)
            level = float(found.level)
            return Sign(sign_id, level, level, found.holds if level >= 0.5 else found.does_not)

        return SignUnit(sign_id, measure, question, "excuse", excuses=excuses, end=end)

    return unit
