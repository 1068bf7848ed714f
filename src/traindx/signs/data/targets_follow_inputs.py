"""Whether the targets are the inputs, moved on by one or as they are: what is learned from itself. 1 or 0.

This sign speaks against causes: such targets cannot have come apart from their inputs on the way, and no class of them
is rare by mistake.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number, shape
from .. import questions
from .._base import Missing, Sign

ID = "targets-follow-inputs"
QUESTION = questions.DATA
SHOWS = "setting"
SAME = 1e-3  # of the spread: rounding, and pooling in another order, change this much


def measure(run: Run) -> Sign | Missing:
    if _rebuilds(run):
        return Sign(ID, 1.0, 1.0, "the targets equal the inputs")
    relation = run.fact("shift_relation")
    if not number(relation.get("checked")):
        return Missing(ID, "targets were not compared with the inputs' tokens")
    follows = relation.get("targets_are_next_inputs") is True
    text = "the targets are the next tokens" if follows else "the targets are not the next tokens"
    return Sign(ID, float(follows), float(follows), text)


def _rebuilds(run: Run) -> bool:
    """Whether targets are the inputs, as for an autoencoder: as many numbers, with the same mean and extremes."""
    inputs, targets = run.fact("data/train"), run.fact("targets/train")
    spread, sizes = number(inputs.get("std")), shape(inputs.get("shape"))
    if not spread or not sizes or len(sizes) < 2 or sizes != shape(targets.get("shape")):
        return False
    pairs = [(number(inputs.get(key)), number(targets.get(key))) for key in ("mean", "min", "max")]
    return all(one is not None and other is not None and abs(one - other) <= SAME * spread for one, other in pairs)
