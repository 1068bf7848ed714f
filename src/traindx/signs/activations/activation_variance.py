"""How the spread of activations changes with depth before any training: grows, shrinks."""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._depth import DepthTrend, depth_trend
from .._tables import layer_medians

GROWS, SHRINKS = "activation-variance-grows", "activation-variance-shrinks"
REMEDY = "Initialise by fan-in (He for ReLU, Xavier for tanh) or add normalisation."


def grows(run: Run) -> Sign | Missing:
    """How the spread of activations rises with depth before any training, in decades from first to last hidden layer.

    Residual networks without norms gain up to a decade or two; three and more are out of hand. The order of layers must
    agree with the rise.
    """
    return _change(GROWS, run, 1.0, 1.5, 3.0)


def shrinks(run: Run) -> Sign | Missing:
    """How the spread of activations falls with depth before any training, in decades from first to last hidden layer.

    Two decades are within what a plain healthy network with torch's default initialisation shows; four leave nothing to
    learn from. The order of layers must agree with the fall.
    """
    return _change(SHRINKS, run, -1.0, 2.0, 4.0)


def _change(sign_id: str, run: Run, direction: float, normal: float, gross: float) -> Sign | Missing:
    """`direction` is 1 for a rise, -1 for a fall; `normal` and `gross` are decades in that direction."""
    trend = _initial_spread(run)
    if trend is None:
        return Missing(sign_id, "fewer than four hidden layers were looked at before training changed them")
    level = ramp(direction * trend.decades, normal, gross) * ramp(direction * trend.order, 0.3, 0.6)
    return Sign(
        sign_id,
        direction * trend.decades,
        level,
        f"activation std at initialisation goes from {num(trend.values[0])} in layer `{trend.layers[0]}` to "
        f"{num(trend.values[-1])} in `{trend.layers[-1]}`, a factor of {num(trend.factor)} per layer (1 is ideal)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"factor": trend.factor, "layers": len(trend.layers)},
    )


def _initial_spread(run: Run) -> DepthTrend | None:
    """Deviation of the outputs of layers with weights, at the first look.

    The last such layer is left out: output layers are made small, or large, on purpose.
    """
    table = run.layers("act_std")
    if not table or int(table.steps.min()) > 5:
        return None  # later looks show what training did
    names = [module.name for module in run.modules if module.order is not None and module.maps]
    return depth_trend(names[:-1], layer_medians(table, 0.0, 1.0 / len(table)))


SIGNS = (
    SignUnit(GROWS, grows, questions.FLOW, "dynamics", check=checks.VARIANCE_BY_DEPTH, remedy=REMEDY),
    SignUnit(SHRINKS, shrinks, questions.FLOW, "dynamics", check=checks.VARIANCE_BY_DEPTH, remedy=REMEDY),
)
