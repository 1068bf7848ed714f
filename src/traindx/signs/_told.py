"""What a person says, beside what was measured.

A person can state facts (under the names that observers write) and symptoms (as signs). Both are in the fact `told` of
the record (docs/record.md). A measurement outranks a statement. The one exception are losses that a person pasted: an
excerpt that looks normal does not refute the trouble that they describe. A fault that somebody reports was not caught
in the act, so its level stays below that of a seen fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..record import Run
from ..wording import lowered
from ._base import SEVERITY, Missing, Sign, SignUnit, if_raised

WORD = 0.65  # the highest level of a fault that a person reports: raised, but not seen


@dataclass(frozen=True)
class Told:
    """The statements of a run; empty where nobody was asked."""

    statements: Mapping[str, Any]  # sign -> {"level", "text", "onset"}
    facts: frozenset[str]  # names of facts and series that a person stated
    excerpt: bool  # everything else in the run was pasted, and is only a part of the log

    @classmethod
    def of(cls, run: Run) -> Told:
        return cls(run.told.signs, frozenset(run.told.facts), run.kind == "interview")

    def measure(self, unit: SignUnit, run: Run) -> Sign | Missing:
        """The sign as measured, or as the person tells it."""
        found = self._by_facts(unit, run) if self.facts else unit.measure(run)
        statement = self.statements.get(unit.id)
        if statement is None or statement.level is None or not statement.text:
            return found
        level, words = statement.level, statement.text
        refuted = isinstance(found, Sign) and not (self.excerpt and level >= 0.5 > found.level)
        if refuted:
            return found
        onset = statement.onset
        return _as_word(unit, Sign(unit.id, level, min(max(level, 0.0), 1.0), words, onset, values={"stated": True}))

    def _by_facts(self, unit: SignUnit, run: Run) -> Sign | Missing:
        """The measured sign, marked as a statement if it rests on facts that a person stated."""
        watched, read = run.noting()
        found = unit.measure(watched)
        present = {name for name in read & self.facts if name in run.facts or run.series(name)}
        if isinstance(found, Missing) or not present:
            return found
        return _as_word(unit, replace(found, text=f"By what you said, {lowered(found.text)}"))


def _as_word(unit: SignUnit, sign: Sign) -> Sign:
    level = min(sign.level, WORD) if unit.shows == "fault" else sign.level
    severity = if_raised(level, SEVERITY.get(unit.shows, "info"))
    return replace(sign, level=level, severity=severity, values={**sign.values, "told": True})
