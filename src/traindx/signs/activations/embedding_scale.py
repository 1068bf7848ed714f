"""The size of what a product of embeddings gives at the start, against the targets.

Embeddings of N(0, 1), torch's default, with d entries give products with a standard deviation of sqrt(d): 7 for d = 50,
where ratings lie between 1 and 5. Only models are judged whose output is such a product, with no layer behind it, and
only where the first loss shows it.
"""

from __future__ import annotations

import math

from ...record import Run
from ...record.parameters import Parameter
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..outputs.first_loss import above

ID = "embedding-scale-large"
QUESTION = questions.START
SHOWS = "condition"
LOGITS = 2.0  # what a classification's first outputs may be


def measure(run: Run) -> Sign | Missing:
    tables = factors(run)
    if not run.graphs or any(number(graph.get("linear_maps")) for graph in run.graphs) or len(tables) < 2:
        return Missing(ID, "the output is not a product of embeddings")
    first = above(run)
    if isinstance(first, Missing):
        return Missing(ID, first.reason)
    largest = max(tables, key=lambda p: p.init_std or 0.0)
    width = largest.shape[-1]
    output = math.prod(p.init_std or 0.0 for p in tables[:2]) * math.sqrt(width)
    wanted = _wanted(run)
    level = min(ramp(output / wanted, 1.0, 2.5, log=True), ramp(first.value, 2.0, 5.0, log=True))
    text = (
        f"embedding `{largest.name}` starts with a standard deviation of {num(largest.init_std or 0.0)} in {width} "
        f"dimensions, so products start at ±{num(output)} (the targets' size is {num(wanted)})"
    )
    values = {"output": output, "targets": wanted, "width": width, "layer": largest.name}
    return Sign(ID, output / wanted, level, text, 0 if level >= 0.5 else None, if_raised(level, "warning"), values)


def factors(run: Run) -> list[Parameter]:
    """Fresh embeddings with more than one entry that ran, of the width that most of them have, largest first."""
    found = [
        p
        for p in run.parameters
        if p.kind == "embedding" and p.ran and p.trains and not p.loaded and len(p.shape) == 2 and p.shape[1] > 1
    ]
    found = [p for p in found if p.init_std]
    widths = [p.shape[1] for p in found]
    width = max(set(widths), key=widths.count, default=0)
    return sorted((p for p in found if p.shape[1] == width), key=lambda p: -(p.init_std or 0.0))


def _wanted(run: Run) -> float:
    targets = run.fact("targets/train")
    if targets.get("kind") != "values":
        return LOGITS
    mean, spread = number(targets.get("mean")) or 0.0, number(targets.get("std")) or 0.0
    return math.hypot(mean, spread) or LOGITS
