"""How much stronger the gradient is in the first layers than in the last.

The mirror of vanishing: the trend of the weights' gradient norms over depth, in decades, by the median slope, so that a
first layer with unscaled inputs does not raise it alone. Healthy layers stay within two orders of magnitude. It must
hold from the start: a run that was blown up by its steps shows it only later.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._depth import gradient_trends

ID = "gradients-explode-with-depth"
QUESTION = questions.FLOW
SHOWS = "dynamics"
CHECK = checks.GRADIENT_FLOW
REMEDY = "Clip the gradient norm, check the initial weights against fan-in, add normalisation."


def measure(run: Run) -> Sign | Missing:
    trends = gradient_trends(run)
    if trends is None:
        return Missing(ID, "fewer than four layers with a measured gradient norm")
    early = trends[0]
    level = ramp(-early.decades, 2.0, 4.0) * ramp(-early.order, 0.3, 0.6)
    first, last = early.values[0], early.values[-1]
    return Sign(
        ID,
        -early.decades,
        level,
        f"gradient norms grow from {num(last)} in layer `{early.layers[-1]}` to {num(first)} in "
        f"`{early.layers[0]}` early in the run: each of {len(early.layers)} layers scales the gradient by "
        f"{num(1 / early.factor)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"first": first, "last": last, "factor": 1 / early.factor, "layers": len(early.layers)},
    )
