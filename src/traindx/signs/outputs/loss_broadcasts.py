"""Whether the loss compares all pairs, because outputs and targets have different shapes.

Harmful is a result larger than both sides, as (64, 1) against (64) gives 64 x 64. A scalar target, or weights that
are spread over rows, broadcast without harm. In hand-written losses a difference of tensors of unlike rank counts;
pairwise distances on purpose give both sides the same rank.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

from ...record import Run
from ...record.values import entries, shape, text
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place

ID = "loss-broadcasts"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 3.0)
CORE = True
CHECK = checks.LOSS_INPUTS

Shape = tuple[int, ...]


def all_pairs(left: Shape, right: Shape) -> bool:
    """Whether broadcasting makes a result larger than both sides."""
    rank = max(len(left), len(right))
    a, b = ((1,) * (rank - len(side)) + side for side in (left, right))
    return prod(map(max, a, b)) > max(prod(a), prod(b))


def squared(side: Shape, out: Shape | None) -> bool:
    """Whether N outputs became N x N: the other side was as long, along another axis."""
    if out is None or len(out) < 2 or prod(side) < 2 or prod(out) % prod(side):
        return False
    times = prod(out) // prod(side)
    return times > 1 and times in side and any(pair == (times, times) for pair in pairwise(out))


def measure(run: Run) -> Sign | Missing:
    found: list[tuple[float, str]] = []
    for call in run.training_losses:
        left, right = call.input.shape, call.target.shape
        if call.input.facts.get("one_row") is True:
            words = (
                f"{call.fn} gets one row of outputs, repeated for the {left[0] if left else ''} samples of the batch"
            )
            found.append((1.0, words + place(call.site)))
        elif call.broadcast and left is not None and right is not None:
            words = f"{call.fn} compares outputs {list(left)} with targets {list(right)}{place(call.site)}"
            found.append((1.0 if all_pairs(left, right) else 0.0, words))
        else:
            found.append(
                (
                    0.8 if call.broadcast else 0.0,
                    f"outputs and targets of {call.fn} "
                    f"{'have shapes that broadcast' if call.broadcast else 'have matching shapes'}{place(call.site)}",
                )
            )
    for graph in run.graphs:
        found.append((0.0, "no shapes broadcast near the loss"))
        for entry in entries(graph.get("broadcasts")):
            sides = [shape(side) for side in entry.get("shapes") or ()] if _listed(entry.get("shapes")) else []
            known = [side for side in sides if side is not None]
            op = text(entry.get("op")) or "an operation"
            shown = f"`{op}`" if entry.get("op") else op
            level = 0.9 if op.lower().startswith(("sub", "rsub", "mse", "l1")) else 0.4
            if len(known) == 2 and len(known[0]) != len(known[1]) and all_pairs(known[0], known[1]):
                found.append((level, f"{shown} near the loss broadcasts {list(known[0])} against {list(known[1])}"))
            elif op == "index":
                found.append(
                    (
                        0.9,
                        f"scores of shape {list(known[0])} near the loss are indexed by the labels of the whole batch",
                    )
                )
            elif len(known) == 1 and squared(known[0], shape(entry.get("out"))):
                found.append((level, f"{shown} near the loss broadcasts {list(known[0])} to {entry.get('out')}"))
    if not found:
        return Missing(ID, "neither loss calls nor the graph were looked at")
    level, words = max(found, key=lambda item: item[0])
    return Sign(
        ID,
        level,
        level,
        words + (": every output is compared with every target" if level >= 0.5 else ""),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
    )


def _listed(value: object) -> bool:
    return isinstance(value, (list, tuple))
