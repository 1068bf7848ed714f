"""The course: small trainings to diagnose by hand before asking traindx.

An exercise whose answer is a cause is a TOML file: its number, part and title, the case of the zoo that is its patient,
the text, hints (from vague to explicit), the solution (what it was, how to see it, what to remember), the right answer,
and the replies to wrong ones. The exercise of writing a sign has a file to begin with instead of a patient, and a
checker of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from typing import Any

from ...causes import all_causes, find_cause
from ...toml import tables
from ...zoo import find_case

__all__ = ["HEALTHY", "PARTS", "Exercise", "Judgement", "all_exercises"]

PARTS = (
    "Why training fails",
    "Loss curves",
    "Gradient statistics",
    "Learning rate",
    "Activations",
    "Strategy",
    "Your own sign",
)
HEALTHY = "healthy"


@dataclass(frozen=True)
class Judgement:
    """`right` is None if the answer could not be understood; then `text` says what to write instead."""

    right: bool | None
    text: str


@dataclass(frozen=True)
class Exercise:
    number: int  # its place in the course
    part: str
    title: str
    text: str
    source: Callable[[], str]  # of the file that the reader gets
    hints: tuple[str, ...]
    solution: str
    judge: Callable[[str], Judgement]
    file: str = "train.py"


@cache
def all_exercises() -> dict[int, Exercise]:
    """All exercises by number, in the order of the course."""
    found = map(_of, tables(__package__))
    return {exercise.number: exercise for exercise in sorted(found, key=lambda exercise: exercise.number)}


def _of(stated: dict[str, Any]) -> Exercise:
    from .your_own_sign import judge

    patient, source = stated.get("patient", ""), stated.get("source", "")
    return Exercise(
        **{name: stated[name] for name in ("number", "part", "title")},
        text=stated["text"].strip(),
        source=partial(_patient, patient) if patient else lambda: source,
        hints=tuple(stated["hints"]),
        solution=stated["solution"].strip(),
        judge=partial(_judge, stated["answer"], stated["wrong"]) if patient else judge,
        file=stated.get("file", "train.py"),
    )


def _patient(case: str) -> str:
    """The script of a case of the zoo."""
    found = find_case(case)
    if found is None:
        raise LookupError(f"the zoo has no case {case}")
    return found.source


def _judge(right: str, wrong: Mapping[str, str], answer: str) -> Judgement:
    name = _name_of(answer)
    if name is None:
        near = get_close_matches(answer.lower().replace(" ", "-").replace("_", "-"), [*all_causes(), HEALTHY], n=1)
        hint = f"did you mean {near[0]}?" if near else "traindx explain lists them"
        return Judgement(None, f"{answer!r} is not the name of a cause: {hint}")
    if name == right:
        return Judgement(True, "Right.")
    return Judgement(False, wrong.get(name, "No. If it were, which number would differ? Print it."))


def _name_of(answer: str) -> str | None:
    """The id of a cause, from its id or title."""
    words = " ".join(answer.split()).lower()
    if words in (HEALTHY, "nothing", "nothing is wrong"):
        return HEALTHY
    cause = find_cause(words.replace(" ", "-"))
    titled = [cause.id for cause in all_causes().values() if cause.title.lower() == words]
    return cause.id if cause else titled[0] if titled else None
