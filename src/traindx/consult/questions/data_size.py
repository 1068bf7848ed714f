"""The size of the training set."""

from __future__ import annotations

from ...wording import num
from ._base import Question, Telling
from ._numbers import first_number


def _read(text: str) -> Telling:
    samples = first_number(text, "the number of samples")
    return Telling(f"{num(samples)} training samples", {"loaders": {"size": samples}})


QUESTION = Question(
    id="data-size",
    ask="How many training samples are there?",
    why="A large model memorises a few thousand samples; and a few dozen steps per epoch are few.",
    how="len(train_dataset)",
    read=_read,
    examples=(("2000", 2), ("50000", 3), ("1M", 2)),
    hint="a number, for example 2,000 or 1.2M",
)
