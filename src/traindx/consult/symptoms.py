"""The symptoms that people come with. One symptom is one file of `trees/`: what it is called, the words by which it is
recognised, what it says in terms of signs, and the physician's tree that is walked for it."""

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
    """A question of the tree, answered by signs: those that mean yes and those that mean no when they are raised.

    With one of the two lists alone, signs that were measured and are normal mean the opposite. With `before`, the
    answer is whether `sign` begins before that step.
    """

    id: str
    ask: str
    question: str  # of the interview, that would answer it
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
        """The signs that something is wrong; others only describe the rest of the picture."""
        return [name for name in self.signs if all_signs()[name].shows != "success"]

    def tell(self) -> Telling:
        found = Telling(self.title)
        for name, level in self.signs.items():
            found.sign(name, level, self.said)
        return found


@cache
def all_symptoms() -> dict[str, Symptom]:
    """Every symptom, by id, in the order in which a list shows them."""
    found = []
    for file in files(__package__).joinpath("trees").iterdir():
        if file.name.endswith(".toml"):
            data = parse(file.read_text(encoding="utf-8"))
            forks = [Fork(**fork) for fork in data.pop("fork", [])]
            found.append(Symptom(**data | {"forks": forks, "leaves": data.pop("leaf", {})}))
    return {symptom.id: symptom for symptom in sorted(found, key=lambda symptom: symptom.rank)}
