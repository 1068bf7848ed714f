"""How far the run got."""

from __future__ import annotations

from ...wording import counted
from ._base import Question, Telling
from ._numbers import first_number


def _read(text: str) -> Telling:
    steps = int(first_number(text, "the number of steps"))
    found = Telling(counted(steps, "step"), {"steps": steps})
    if steps < 200:
        found.sign("still-improving", 0.6, f"You said that the run has made {counted(steps, 'step')}.")
    return found


QUESTION = Question(
    id="steps",
    ask="How many steps (weight updates) has the run made?",
    why="A few hundred steps teach a network little, however good each of them is.",
    how="Epochs times batches per epoch, divided by the accumulation steps if there are any.",
    read=_read,
    examples=(("50", 1), ("1000", 2), ("50000", 3)),
    hint="a number",
)
