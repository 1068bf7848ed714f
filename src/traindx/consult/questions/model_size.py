"""The size of the model."""

from __future__ import annotations

from ...wording import num
from ._base import Question, Telling
from ._numbers import first_number


def _read(text: str) -> Telling:
    parameters = first_number(text, "the number of parameters")
    return Telling(f"{num(parameters)} parameters", {"models": {"elements": parameters, "trainable": parameters}})


QUESTION = Question(
    id="model-size",
    ask="How many trainable parameters does the model have?",
    why="Together with the number of samples, it tells how easily the model can memorise.",
    how="sum(p.numel() for p in model.parameters() if p.requires_grad)",
    read=_read,
    examples=(("50k", 2), ("5M", 3), ("100M", 2)),
    hint="a number, for example 50k or 7M",
)
