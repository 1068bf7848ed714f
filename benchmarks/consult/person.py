"""A person who answers the interview about a program that was recorded: truthfully, as far as they know.

They say what fits the signs of the record best. They know the answer to three questions in four, and of a mistake in
their own code they know every other time; else they say that it is fine. Chance depends on the program's name only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from traindx.consult.information import answers_of
from traindx.consult.matching import Symptom, all_symptoms
from traindx.consult.questions import Question
from traindx.signs import all_signs

KNOWS = 0.75
KNOWS_OWN_MISTAKE = 0.5
PASTES = 0.7
NOT_A_COMPLAINT = frozenset(("training-learned", "still-improving"))


@dataclass(frozen=True)
class Person:
    name: str
    levels: Mapping[str, float]  # of the signs of their program

    def symptoms(self) -> list[Symptom]:
        """What they see: symptoms of which a sign is raised."""
        return [s for s in all_symptoms().values() if any(self._raised(sign) for sign in s.signs)]

    def answer(self, question: Question) -> Mapping[str, float] | None:
        """The levels that their answer tells; None where they skip."""
        if question.many_lines:
            return self._paste() if self._chance(question.id) < PASTES else None
        if self._chance(question.id) >= KNOWS:
            return None
        answers = [(share, levels) for share, levels in answers_of(question) if levels]
        fitting = [
            (self._misfit(levels), -share, i) for i, (share, levels) in enumerate(answers) if self._known(levels)
        ]
        if not fitting:
            return None
        levels = answers[min(fitting)[2]][1]
        mistake = any(level >= 0.5 and all_signs()[sign].shows == "fault" for sign, level in levels.items())
        if mistake and self._chance(f"{question.id} mistake") >= KNOWS_OWN_MISTAKE:
            return max(answers, key=lambda item: item[0])[1]
        return levels

    def _paste(self) -> Mapping[str, float]:
        """Losses show every sign of curves."""
        return {s: level for s, level in self.levels.items() if s in all_signs() and all_signs()[s].family == "curves"}

    def _known(self, levels: Mapping[str, float]) -> bool:
        return any(sign in self.levels for sign in levels)

    def _misfit(self, levels: Mapping[str, float]) -> float:
        found = [(level - self.levels[sign]) ** 2 for sign, level in levels.items() if sign in self.levels]
        return sum(found) / len(found)

    def _raised(self, sign: str) -> bool:
        return sign not in NOT_A_COMPLAINT and self.levels.get(sign, 0.0) >= 0.5

    def _chance(self, what: str) -> float:
        return (crc32(f"{self.name} {what}".encode()) % 10_000) / 10_000
