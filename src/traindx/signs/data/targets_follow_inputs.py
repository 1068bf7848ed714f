"""Whether the targets are the inputs, moved on by one: text, or any series, that is learned from itself. 1 or 0.

This sign speaks against causes: such targets cannot have come apart from their inputs on the way.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._facts import fact, number

ID = "targets-follow-inputs"


def measure(run: Run) -> Sign | Missing:
    relation = fact(run, "shift_relation")
    if not number(relation.get("checked")):
        return Missing(ID, "targets were not compared with the inputs' tokens")
    follows = relation.get("targets_are_next_inputs") is True
    text = "the targets are the next inputs" if follows else "the targets are not the next inputs"
    return Sign(ID, float(follows), float(follows), text)
