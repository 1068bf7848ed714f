"""How the spread of activations falls with depth before any training, in decades from first to last hidden layer.

Two decades are within what a plain healthy network with torch's default initialisation shows; four leave nothing to
learn from. The order of layers must agree with the fall.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._signal import initial_spread

ID = "activation-variance-shrinks"
QUESTION = questions.FLOW
SHOWS = "dynamics"
CHECK = checks.VARIANCE_BY_DEPTH
REMEDY = "Initialise by fan-in (He for ReLU, Xavier for tanh) or add normalisation."


def measure(run: Run) -> Sign | Missing:
    trend = initial_spread(run)
    if trend is None:
        return Missing(ID, "fewer than four hidden layers were looked at before training changed them")
    level = ramp(-trend.decades, 2.0, 4.0) * ramp(-trend.order, 0.3, 0.6)
    return Sign(
        ID,
        -trend.decades,
        level,
        f"activation std at initialisation goes from {num(trend.values[0])} in layer `{trend.layers[0]}` to "
        f"{num(trend.values[-1])} in `{trend.layers[-1]}`, a factor of {num(trend.factor)} per layer (1 is ideal)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"factor": trend.factor, "layers": len(trend.layers)},
    )
