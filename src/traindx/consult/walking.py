"""Walks the decision tree of a symptom: each fork with its answer, and whether that was measured or said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..signs import Sign, Signs
from .symptoms import Fork, Symptom

Answer = Literal["yes", "no", "not known"]


@dataclass(frozen=True)
class Step:
    """One fork on the path. `by` says where the answer comes from, `evidence` quotes the sign behind it."""

    ask: str
    answer: Answer
    by: Literal["measured", "told", ""]
    evidence: str
    question: str  # the interview's question that would answer it


@dataclass(frozen=True)
class Path:
    symptom: Symptom
    steps: Sequence[Step]
    ends: str  # the advice at the end of the path

    @property
    def settled(self) -> int:
        return sum(step.answer != "not known" for step in self.steps)


def walk(symptom: Symptom, signs: Signs) -> Path:
    """The path through the tree that these signs lead to."""
    forks = {fork.id: fork for fork in symptom.forks}
    steps: list[Step] = []
    place = symptom.forks[0].id if symptom.forks else ""
    while place in forks and len(steps) <= len(forks):
        fork = forks[place]
        answer, sign = _answer(fork, signs)
        by: Literal["measured", "told", ""] = "" if sign is None else "told" if sign.values.get("told") else "measured"
        steps.append(Step(fork.ask, answer, by, sign.text if sign else "", fork.question))
        place = {"yes": fork.if_yes, "no": fork.if_no, "not known": fork.if_unknown}[answer]
    return Path(symptom, steps, symptom.leaves.get(place, ""))


def _answer(fork: Fork, signs: Signs) -> tuple[Answer, Sign | None]:
    """The answer and the sign that gives it."""
    if fork.before is not None:
        found = signs.get(fork.sign)
        if found is None or not found.raised or found.onset is None:
            return "not known", None
        return ("yes" if found.onset < fork.before else "no"), found
    no, yes = _strongest(fork.no, signs), _strongest(fork.yes, signs)
    if no is not None and no.raised and (yes is None or yes.level <= no.level):
        return "no", no
    if yes is not None and yes.raised:
        return "yes", yes
    if no is not None and not fork.yes:
        return "yes", no
    if yes is not None and not fork.no:
        return "no", yes
    return "not known", None


def _strongest(names: Sequence[str], signs: Signs) -> Sign | None:
    """The sign with the highest level; among equals, a measured one."""
    found = [signs[name] for name in names if name in signs]
    return max(found, key=lambda sign: (sign.level, not sign.values.get("told")), default=None)
