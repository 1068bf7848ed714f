"""The symptoms that a user can name. Each is one file of `trees/`: its title, the words by which it is recognised, the
signs that it implies, and its decision tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from ..signs import all_signs
from .questions import Telling
from .toml import parse

OTHER = "other"


@dataclass(frozen=True)
class Fork:
    """A question of the decision tree, answered by signs: raised signs of `yes` mean yes, raised signs of `no` mean no.

    If only one of the two lists is given, measured normal signs mean the opposite. With `before`, the answer is whether
    `sign` begins before that step.
    """

    id: str
    ask: str
    question: str  # the interview's question that would answer it
    if_yes: str
    if_no: str
    if_unknown: str
    yes: Sequence[str] = ()
    no: Sequence[str] = ()
    sign: str = ""
    before: int | None = None


@dataclass(frozen=True)
class Symptom:
    id: str
    title: str
    said: str
    words: Sequence[str]
    rank: int
    signs: Mapping[str, float] = field(default_factory=dict)
    forks: Sequence[Fork] = ()
    leaves: Mapping[str, str] = field(default_factory=dict)

    @property
    def complaints(self) -> list[str]:
        """The implied signs of a problem, without signs of success."""
        return [name for name in self.signs if all_signs()[name].shows != "success"]

    def tell(self) -> Telling:
        found = Telling(self.title)
        for name, level in self.signs.items():
            found.sign(name, level, self.said)
        return found


@cache
def all_symptoms() -> dict[str, Symptom]:
    """All symptoms by id, in the order in which they are listed."""
    found = []
    for file in files(__package__).joinpath("trees").iterdir():
        if file.name.endswith(".toml"):
            data = parse(file.read_text(encoding="utf-8"))
            forks, leaves = [Fork(**fork) for fork in data.pop("fork", [])], data.pop("leaf", {})
            found.append(Symptom(**data, forks=forks, leaves=leaves))
    return {symptom.id: symptom for symptom in sorted(found, key=lambda symptom: symptom.rank)}
