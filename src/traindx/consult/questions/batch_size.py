"""The batch size."""

from __future__ import annotations

from ...wording import num
from ._base import Question, Telling
from ._numbers import first_number

TINY = 4


def _read(text: str) -> Telling:
    rows = first_number(text, "the batch size")
    found = Telling(f"batch size {num(rows)}", {"loaders": {"batch_size": rows}})
    if rows <= TINY:
        said = f"You said that the batch size is {num(rows)}: batch norm sees only that many samples."
        found.sign("norm-tiny-batch", 0.5, said)
    return found


QUESTION = Question(
    id="batch-size",
    ask="What is the batch size?",
    why="One or two samples make a noisy step and useless batch-norm statistics; a huge batch leaves few steps.",
    how="Look for batch_size= in the DataLoader; with several devices or accumulation, count all samples of one step.",
    read=_read,
    examples=(("32", 5), ("128", 3), ("2", 1), ("4096", 0.7)),
    hint="a number",
)
