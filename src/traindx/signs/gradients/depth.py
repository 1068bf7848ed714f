"""How the gradient changes with depth, and along a chain of one nonlinearity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Measured, ramp, sign
from .._layers import FEWEST_LAYERS, DepthTrend, depth_trend
from .._tables import layer_medians, median, ordered, span, typical


@sign(
    "gradients-vanish-with-depth",
    questions.FLOW,
    "dynamics",
    severity="critical",
    from_start=True,
    core=True,
    check=checks.GRADIENT_FLOW,
    remedy="Use ReLU-like activations with He initialisation, normalisation layers or skip connections.",
)
def gradients_vanish_with_depth(run: Run) -> Measured | str:
    """How much weaker the gradient is in the first layers than in the last.

    Measured as the trend of the weights' gradient norms over depth, in decades. Layers of healthy networks stay within
    two orders of magnitude of each other. It must hold from the start and over the whole run: gradients that are lost
    later have another cause (dead or saturated units), and those that recover need no help.
    """
    trends = _gradient_trends(run)
    if trends is None:
        return "fewer than four layers with a measured gradient norm"
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
    return _of_depth(whole.decades, level, words, whole, whole.factor)


@sign(
    "gradients-explode-with-depth",
    questions.FLOW,
    "dynamics",
    severity="critical",
    from_start=True,
    check=checks.GRADIENT_FLOW,
    remedy="Clip the gradient norm, check the initial weights against fan-in, add normalisation.",
)
def gradients_explode_with_depth(run: Run) -> Measured | str:
    """How much stronger the gradient is in the first layers than in the last.

    The mirror of vanishing: the trend of the weights' gradient norms over depth, in decades, by the median slope, so
    that a first layer with unscaled inputs does not raise it alone. Healthy layers stay within two orders of magnitude.
    It must hold from the start: a run that was blown up by its steps shows it only later.
    """
    trends = _gradient_trends(run)
    if trends is None:
        return "fewer than four layers with a measured gradient norm"
    early = trends[0]
    level = ramp(-early.decades, 2.0, 4.0) * ramp(-early.order, 0.3, 0.6)
    words = (
        f"gradient norms go from {num(early.values[-1])} in `{early.layers[-1]}` back to {num(early.values[0])} in "
        f"`{early.layers[0]}` early in the run: each of {len(early.layers)} layers scales the gradient by "
        f"{num(1 / early.factor)} (about 1 is ideal)"
    )
    return _of_depth(-early.decades, level, words, early, 1 / early.factor)


def _of_depth(decades: float, level: float, words: str, trend: DepthTrend, factor: float) -> Measured:
    known = {"first": trend.values[0], "last": trend.values[-1], "factor": factor, "layers": len(trend.layers)}
    return Measured(decades, words, level, values=known)


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


FEWEST = 3  # ratios along the chain
SMALLEST = 1e-30  # a gradient that is gone has no logarithm


@sign("gradients-fade-along-chain", questions.FLOW, "dynamics", severity="critical", from_start=True)
def gradients_fade_along_chain(run: Run) -> Measured | str:
    """How much of the gradient is left at the beginning of a long chain: a cell that works through time, or many
    layers.

    A recurrent layer has one set of weights, so its gradient per layer shows nothing; what fades is the part that comes
    from early time steps. Healthy recurrences keep it within a few decades once they learn. As with depth, it must hold
    from the start and throughout: gradients that are lost later have another cause.
    """
    chain = _gradient_chain(run)
    if chain is None:
        return "no long chain of one nonlinearity was followed"
    level = ramp(-chain.start, 3.0, 6.0) * ramp(-chain.whole, 4.0, 8.0)
    words = f"by {num(10.0**chain.whole)} in all, by {num(chain.per_link)} each (about 1 is ideal)"
    return _of_chain(-chain.whole, level, chain, words)


@sign("gradients-grow-along-chain", questions.FLOW, "dynamics", severity="critical", from_start=True)
def gradients_grow_along_chain(run: Run) -> Measured | str:
    """How much a gradient grows towards the beginning of a long chain: a cell that works through time, or many layers.

    A sum over time adds one part for each step, which makes two decades of a hundred steps; more is growth from link to
    link. The largest of the start and the whole run counts: clipping and small steps may hold it down later.
    """
    chain = _gradient_chain(run)
    if chain is None:
        return "no long chain of one nonlinearity was followed"
    most = max(chain.start, chain.whole)
    words = f"by up to {num(10.0**most)} in all, by {num(chain.per_link)} each on average (about 1 is ideal)"
    return _of_chain(most, ramp(most, 3.0, 6.0), chain, words)


@dataclass(frozen=True)
class _Chain:
    """Decades that the gradient gains on its way back from the chain's end to its beginning."""

    length: float
    start: float  # in the first fifth of the looks
    whole: float

    @property
    def per_link(self) -> float:
        """The factor from one link to the next, going back."""
        return math.pow(10.0, self.whole / max(self.length - 1.0, 1.0))


def _gradient_chain(run: Run) -> _Chain | None:
    ratios = ordered(run.series("chain/gradient_ratio")).values
    length = typical(run, "chain/length")
    if len(ratios) < FEWEST or length is None:
        return None
    decades = np.log10(np.clip(ratios, SMALLEST, 1 / SMALLEST))
    start, whole = median(span(decades, 0.0, 0.2)), median(decades)
    return None if start is None or whole is None else _Chain(length, start, whole)


def _of_chain(value: float, level: float, chain: _Chain, words: str) -> Measured:
    return Measured(
        value,
        f"backpropagation through {num(chain.length)} time steps or layers scales the gradient {words}",
        level,
        values={"decades": chain.whole, "at_start": chain.start, "length": chain.length},
    )
