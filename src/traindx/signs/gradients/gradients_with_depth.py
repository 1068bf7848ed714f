"""How gradients change from the last layer back to the first: vanish, explode."""

from __future__ import annotations

import math

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._depth import FEWEST_LAYERS, DepthTrend, depth_trend
from .._tables import layer_medians, median

VANISH, EXPLODE = "gradients-vanish-with-depth", "gradients-explode-with-depth"


def vanish(run: Run) -> Sign | Missing:
    """How much weaker the gradient is in the first layers than in the last.

    Measured as the trend of the weights' gradient norms over depth, in decades. Layers of healthy networks stay within
    two orders of magnitude of each other. It must hold from the start and over the whole run: gradients that are lost
    later have another cause (dead or saturated units), and those that recover need no help.
    """
    trends = _gradient_trends(run)
    if trends is None:
        return Missing(VANISH, "fewer than four layers with a measured gradient norm")
    weakest = min(trends, key=lambda trend: trend.decades)
    # A fall that jumps up and down between layers comes from their shapes, not from depth: the order has to agree.
    level = ramp(weakest.decades, 2.0, 5.0) * ramp(weakest.order, 0.3, 0.6) * ramp(_lost_half_way(run), 0.5, 1.0)
    whole = trends[1]
    first, last = whole.values[0], whole.values[-1]
    words = (
        f"gradient norms go from {num(last)} in `{whole.layers[-1]}` back to {num(first)} in `{whole.layers[0]}`: "
        f"each of {len(whole.layers)} layers scales the gradient by {num(1 / whole.factor)} (about 1 is ideal)"
        + (", leaving the first below 1e-7" if first < 1e-7 else "")
    )
    return _sign(VANISH, whole.decades, level, words, whole, whole.factor)


def explode(run: Run) -> Sign | Missing:
    """How much stronger the gradient is in the first layers than in the last.

    The mirror of vanishing: the trend of the weights' gradient norms over depth, in decades, by the median slope, so
    that a first layer with unscaled inputs does not raise it alone. Healthy layers stay within two orders of magnitude.
    It must hold from the start: a run that was blown up by its steps shows it only later.
    """
    trends = _gradient_trends(run)
    if trends is None:
        return Missing(EXPLODE, "fewer than four layers with a measured gradient norm")
    early = trends[0]
    level = ramp(-early.decades, 2.0, 4.0) * ramp(-early.order, 0.3, 0.6)
    words = (
        f"gradient norms go from {num(early.values[-1])} in `{early.layers[-1]}` back to {num(early.values[0])} in "
        f"`{early.layers[0]}` early in the run: each of {len(early.layers)} layers scales the gradient by "
        f"{num(1 / early.factor)} (about 1 is ideal)"
    )
    return _sign(EXPLODE, -early.decades, level, words, early, 1 / early.factor)


def _sign(sign_id: str, decades: float, level: float, words: str, trend: DepthTrend, factor: float) -> Sign:
    return Sign(
        sign_id,
        decades,
        level,
        words,
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"first": trend.values[0], "last": trend.values[-1], "factor": factor, "layers": len(trend.layers)},
    )


def _gradient_trends(run: Run) -> tuple[DepthTrend, DepthTrend] | None:
    """The trend of the weights' gradient norms in the first quarter of the looks, and in the whole run.

    Weight matrices only: biases before a norm and sparse embeddings have small gradients in healthy runs. Layers
    with a gradient of exactly zero are left out: that is a cut or dead path, not decay with depth.
    """
    names = [p.name for p in run.parameters if p.matrix and p.ran and p.trains]
    table = run.layers("grad_norm")
    early = depth_trend(names, layer_medians(table, 0.0, 0.25))
    whole = depth_trend(names, layer_medians(table))
    return None if early is None or whole is None else (early, whole)


def _lost_half_way(run: Run) -> float:
    """Decades from the largest gradient norm in the first half of the model to the typical one of its last weights.

    Parameters of any kind count: within a residual block, or before an attention's scores, weights may have next to no
    gradient while the skip connection carries all of it. A gradient that vanishes with depth is small in every early
    parameter.
    """
    norms = layer_medians(run.layers("grad_norm"))
    seen = [p for p in run.parameters if p.ran and p.trains and norms.get(p.name, 0.0) > 0.0]
    weights = [p for p in seen if p.matrix]
    if len(weights) < FEWEST_LAYERS:
        return 0.0
    middle = weights[len(weights) // 2].depth
    late = median(norms[p.name] for p in weights[-max(1, len(weights) // 4) :])
    early = max((norms[p.name] for p in seen if p.depth < middle), default=0.0)
    return math.log10(late / early) if late and early else 0.0


SIGNS = (
    SignUnit(
        EXPLODE,
        explode,
        questions.FLOW,
        "dynamics",
        check=checks.GRADIENT_FLOW,
        remedy="Clip the gradient norm, check the initial weights against fan-in, add normalisation.",
    ),
    SignUnit(
        VANISH,
        vanish,
        questions.FLOW,
        "dynamics",
        core=True,
        check=checks.GRADIENT_FLOW,
        remedy="Use ReLU-like activations with He initialisation, normalisation layers or skip connections.",
        rival=("signal", 2.0),
    ),
)
