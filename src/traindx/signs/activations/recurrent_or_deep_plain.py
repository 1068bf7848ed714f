"""Whether the model is of the kind in which gradients can explode: recurrent, or deep without norms and skips.

A property of the model, not a fault: recurrence is 1; plain depth counts from six layers on and in full at twenty. A
recurrence written by hand shows in the graph, as far more multiplications than there are weights.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import op_counts
from ...wording import listed
from .. import questions
from .._base import Missing, Sign, ramp

ID = "recurrent-or-deep-plain"
QUESTION = questions.FLOW
SHOWS = "setting"
MULTIPLICATIONS = ("addmm", "mm", "bmm", "convolution")


def measure(run: Run) -> Sign | Missing:
    found = [module for module in run.modules if module.order is not None]
    ops = op_counts(run.fact("graph"))
    if not found and not ops:
        return Missing(ID, "neither modules nor the graph were looked at")
    recurrent = [module.name or module.type for module in found if module.recurrent]
    weights = sum(p.matrix and p.ran for p in run.parameters) or sum(module.maps for module in found)
    products = sum(ops.get(name, 0.0) for name in MULTIPLICATIONS)
    attention = any("Attention" in module.type for module in found) or "softmax" in ops
    unrolled = weights > 0 and products >= 5 * weights and not attention
    norms = sum(module.norm for module in found)
    skips = ops.get("add", 0.0)
    plain = max(norms, skips) < weights / 4
    level = 1.0 if recurrent or unrolled else ramp(weights, 6.0, 20.0) if plain else 0.0
    what = (
        f"recurrent ({listed(recurrent)})"
        if recurrent
        else f"recurrent ({products:g} matrix products of {weights} weights)"
        if unrolled
        else f"{weights} layers deep with {norms} norm layers and {skips:g} skip connections"
    )
    return Sign(ID, float(weights), level, f"the model is {what}", values={"layers": weights, "norms": norms})
