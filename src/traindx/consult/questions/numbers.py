"""The last training and validation numbers."""

from __future__ import annotations

import re

from ...wording import num
from ._base import AnswerError, Question, Telling
from ._numbers import numbers_in

_ACCURACY = re.compile(r"acc|%|percent|f1", re.IGNORECASE)


def _read(text: str) -> Telling:
    values = numbers_in(text)
    if len(values) < 2:
        raise AnswerError("please give both numbers, training first: loss 0.02 and 1.4, or accuracy 99 % and 61 %")
    train, validation = values[0], values[1]
    accuracy = bool(_ACCURACY.search(text))
    what = "accuracy" if accuracy else "loss"
    telling = Telling(f"{what} {num(train)} in training, {num(validation)} in validation")
    said = f"You said that the {what} is {num(train)} in training and {num(validation)} in validation."
    if accuracy:
        unit = 100.0 if max(train, validation) > 1.0 else 1.0
        gap = (train - validation) / unit
        wide = 0.9 if gap > 0.25 else 0.7 if gap > 0.1 else 0.1
        learned = train / unit > 0.9
    else:
        wide = 0.9 if validation > 3 * train else 0.7 if validation > 1.5 * train else 0.1
        learned = wide >= 0.7
    telling.sign("generalisation-gap", wide, said)
    telling.sign("memorising", wide if learned else 0.2, said)
    return telling


QUESTION = Question(
    id="numbers",
    ask="What are the last training and validation numbers (loss or accuracy)?",
    why="A wide gap with a good training number means memorising; two poor numbers mean something else.",
    how="The last line of your log; measure both in eval mode.",
    read=_read,
    examples=(("loss 0.1 0.12", 3), ("loss 0.05 1.2", 2), ("loss 1.4 1.5", 2)),
    hint="for example: loss 0.02 and 1.4, or accuracy 99 % and 61 %",
)
