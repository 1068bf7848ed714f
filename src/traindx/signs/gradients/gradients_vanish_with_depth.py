"""How much weaker the gradient is in the first layers than in the last.

Measured as the trend of the weights' gradient norms over depth, in decades. Layers of healthy networks stay within two
orders of magnitude of each other. It must hold from the start and over the whole run: gradients that are lost later
have another cause (dead or saturated units), and those that recover need no help.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._depth import gradient_trends, lost_half_way

ID = "gradients-vanish-with-depth"
QUESTION = questions.FLOW
SHOWS = "dynamics"
RIVAL = ("signal", 2.0)
CORE = True
CHECK = checks.GRADIENT_FLOW
REMEDY = "Use ReLU-like activations with He initialisation, normalisation layers or skip connections."


def measure(run: Run) -> Sign | Missing:
    trends = gradient_trends(run)
    if trends is None:
        return Missing(ID, "fewer than four layers with a measured gradient norm")
    weakest = min(trends, key=lambda trend: trend.decades)
    # A fall that skips about among the layers is shape, not depth: let the order of layers agree.
    level = ramp(weakest.decades, 2.0, 5.0) * ramp(weakest.order, 0.3, 0.6) * ramp(lost_half_way(run), 0.5, 1.0)
    whole = trends[1]
    first, last = whole.values[0], whole.values[-1]
    return Sign(
        ID,
        whole.decades,
        level,
        f"gradient norms go from {num(last)} in layer `{whole.layers[-1]}` to {num(first)} in `{whole.layers[0]}`: "
        f"each of {len(whole.layers)} layers scales the gradient by {num(1 / whole.factor)}"
        + (" (below 1e-7 in the first)" if first < 1e-7 else ""),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"first": first, "last": last, "factor": whole.factor, "layers": len(whole.layers)},
    )
