"""What a person says, beside what was measured.

A person can tell facts (under the names that observers write) and what they have seen, in the words of signs. Both
stand in the fact `told` of the record (docs/record.md). A measurement counts before a statement; the one exception are
losses that a person pasted: an excerpt that looks normal does not refute the trouble that they describe. A fault that
somebody reports has not been caught in the act, so its level stays below that of one that was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..record import Run
from ..record.noting import noting
from ..record.values import index, mapping, number, text, texts
from ..wording import lowered
from ._base import Missing, Severity, Sign, SignUnit, if_raised

WORD = 0.65  # the highest level of a fault that rests on somebody's word: raised, but not seen
SEVERITY: dict[str, Severity] = {"fault": "critical", "outcome": "critical", "condition": "warning"}


@dataclass(frozen=True)
class Told:
    """The statements of a run; empty where nobody was asked."""

    statements: Mapping[str, Any]  # sign -> {"level", "text", "onset"}
    facts: frozenset[str]  # names of facts and series that are somebody's word
    excerpt: bool  # whatever else the run holds was pasted, and is a part of the whole

    @classmethod
    def of(cls, run: Run) -> Told:
        told = run.fact("told")
        return cls(mapping(told.get("signs")), frozenset(texts(told.get("facts"))), run.kind == "interview")

    def measure(self, unit: SignUnit, run: Run) -> Sign | Missing:
        """The sign as measured, or as the person tells it."""
        found = self._by_facts(unit, run) if self.facts else unit.measure(run)
        statement = mapping(self.statements.get(unit.id))
        level, words = number(statement.get("level")), text(statement.get("text"))
        if level is None or not words:
            return found
        refuted = isinstance(found, Sign) and not (self.excerpt and level >= 0.5 > found.level)
        if refuted:
            return found
        onset = index(statement.get("onset"))
        return _as_word(unit, Sign(unit.id, level, min(max(level, 0.0), 1.0), words, onset, values={"stated": True}))

    def _by_facts(self, unit: SignUnit, run: Run) -> Sign | Missing:
        """Measured, and said to be by somebody's word where it rests on facts that were told."""
        watched, read = noting(run)
        found = unit.measure(watched)
        present = {name for name in read & self.facts if name in run.facts or run.series(name)}
        if isinstance(found, Missing) or not present:
            return found
        return _as_word(unit, replace(found, text=f"By what you said, {lowered(found.text)}"))


def _as_word(unit: SignUnit, sign: Sign) -> Sign:
    level = min(sign.level, WORD) if unit.shows == "fault" else sign.level
    severity = if_raised(level, SEVERITY.get(unit.shows, "info"))
    return replace(sign, level=level, severity=severity, values={**sign.values, "told": True})
