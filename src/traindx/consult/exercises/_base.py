"""What an exercise is. Its module defines these names; `all_exercises()` collects them.

    NUMBER = 3                          its place in the course
    PART = "Loss curves"                one of PARTS
    TITLE = "Which epoch to keep"
    FILE = "train.py"                   name of the file that the reader gets (optional; train.py)
    def source() -> str                 the contents of that file
    HINTS = ("...",)                    from vague to explicit
    SOLUTION = "..."                    what it was, how to see it, what to remember
    def judge(answer) -> Judgement      whether an answer is right, and if not, why

The docstring is the text of the exercise. `patient` and `named_cause` are for exercises whose answer is a cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from ...causes import all_causes, find_cause
from ...units import modules_of
from ...zoo import find_case

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
    """One exercise, as its module defines it."""

    number: int
    part: str
    title: str
    text: str
    file: str
    source: Callable[[], str]
    hints: tuple[str, ...]
    solution: str
    judge: Callable[[str], Judgement]


@cache
def all_exercises() -> dict[int, Exercise]:
    """All exercises by number, in the order of the course."""
    found: dict[int, Exercise] = {}
    for module in modules_of("traindx.consult.exercises", defining="NUMBER"):
        exercise = Exercise(
            number=module.NUMBER,
            part=module.PART,
            title=module.TITLE,
            text=(module.__doc__ or "").strip(),
            file=getattr(module, "FILE", "train.py"),
            source=module.source,
            hints=tuple(module.HINTS),
            solution=module.SOLUTION.strip(),
            judge=module.judge,
        )
        if exercise.number in found:
            raise ValueError(f"two exercises have the number {exercise.number}")
        found[exercise.number] = exercise
    return dict(sorted(found.items()))


def patient(case: str) -> Callable[[], str]:
    """The script of a case of the zoo."""

    def source() -> str:
        found = find_case(case)
        if found is None:
            raise LookupError(f"the zoo has no case {case}")
        return found.source

    return source


def named_cause(right: str, wrong: Mapping[str, str]) -> Callable[[str], Judgement]:
    """A judge for answers that name a cause. `wrong`: the replies to wrong answers, by cause."""

    def judge(answer: str) -> Judgement:
        name = _name_of(answer)
        if name is None:
            return Judgement(None, _unknown(answer))
        if name == right:
            return Judgement(True, "Right.")
        return Judgement(False, wrong.get(name, "No. If it were, which number would differ? Print it."))

    return judge


def _name_of(answer: str) -> str | None:
    """The id of a cause, from its id or title."""
    words = " ".join(answer.split()).lower()
    if words in (HEALTHY, "nothing", "nothing is wrong"):
        return HEALTHY
    cause = find_cause(words.replace(" ", "-"))
    titled = [cause.id for cause in all_causes().values() if cause.title.lower() == words]
    return cause.id if cause else titled[0] if titled else None


def _unknown(answer: str) -> str:
    near = get_close_matches(answer.lower().replace(" ", "-").replace("_", "-"), [*all_causes(), HEALTHY], n=1)
    hint = f"did you mean {near[0]}?" if near else "traindx explain lists them"
    return f"{answer!r} is not the name of a cause: {hint}"
