"""The step of the first NaN, and the last good loss."""

from __future__ import annotations

import re

from ...wording import num
from ._base import AnswerError, Question, Telling
from ._numbers import numbers_in

EARLY = 5  # before this step, usually only the data, the initial weights or the loss itself can be wrong


def _read(text: str) -> Telling:
    spelled = re.sub(r"\b(first|at once|immediately|right away|from the start)\b", "0", text.lower())
    found = numbers_in(spelled)
    if not found:
        raise AnswerError("please give the step of the first NaN, and the last good loss if you know it: 1200, 2.31")
    step = int(found[0])
    last = f" after a loss of {num(found[1])}" if len(found) > 1 else ""
    telling = Telling(f"first NaN at step {step}{last}", {"steps": step + 1})
    said = f"You said that the loss is NaN from step {step} on{last}."
    telling.sign("loss-not-finite", 1.0, said, step)
    telling.sign("early-instability", 0.7 if step < 200 else 0.0, said, step)
    if step < EARLY:
        # There were no steps yet that could have broken the weights.
        telling.sign("nonfinite-from-weights", 0.0, said, step)
        telling.sign("loss-diverged", 0.0, said, step)
    return telling


QUESTION = Question(
    id="first-nan",
    ask="At which step was the first NaN, and what was the last good loss?",
    why="NaN in the first steps points to the data or the loss; later, to the step size or a rare value.",
    how="if not torch.isfinite(loss): print(step); `traindx run train.py` finds the operation that made it.",
    read=_read,
    examples=(("0", 1), ("60", 2), ("5000", 3)),
    hint="for example: 1200, 2.31",
)
