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
    why="Some hundred steps teach a network little, however well each of them is made.",
    how="Epochs times batches of one epoch; divide by the accumulation if there is one.",
    read=_read,
    examples=(("50", 1), ("1000", 2), ("50000", 3)),
    hint="a number",
)
