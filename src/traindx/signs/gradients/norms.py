"""The size of the gradient, clipped and not."""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.types import FloatArray, IntArray
from ...record.values import number
from ...wording import num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, Unless, ramp, sign
from .._chance import chance_level, has_other_terms
from .._steps import adaptive, fits_a_network
from .._tables import first_step_above, layer_medians, median, ordered, span, typical
from ..curve import moment

FEWEST_CALLS = 5


# Trainers that log the norm before they clip it, and the settings that hold their threshold.
THRESHOLDS = ("max_grad_norm", "clip_grad_norm", "gradient_clip_val", "grad_clip", "clip_norm")


def configured_threshold(run: Run) -> float | None:
    """The threshold in a log's settings; None where it is absent, zero, or norms never exceed it (logged after it)."""
    config = run.log.config
    found = [number(value) for key, value in config.items() if str(key).rsplit(".", 1)[-1] in THRESHOLDS]
    limit = next((value for value in found if value is not None and value > 0), None)
    norms = run.series("grad_norm").finite.values
    return limit if limit is not None and len(norms) and norms.max() > 1.01 * limit else None


def clip_ratios(run: Run) -> tuple[IntArray, FloatArray] | None:
    """(steps, norm over threshold) of the clipping calls that can be paired, in order of steps."""
    norms, thresholds = run.series("clip/norm"), run.series("clip/threshold")
    if len(norms) and len(norms) == len(thresholds):
        limits = thresholds.values
    elif len(thresholds):
        by_step = dict(zip(thresholds.steps.tolist(), thresholds.values.tolist(), strict=True))
        limits = np.array([by_step.get(step, np.nan) for step in norms.steps.tolist()])
    else:
        norms, limit = run.series("grad_norm"), configured_threshold(run)
        if limit is None:
            return None
        limits = np.full(len(norms), limit)
    usable = np.isfinite(norms.values) & np.isfinite(limits) & (limits > 1e-300) & (norms.values < 1e300)
    if usable.sum() < FEWEST_CALLS:
        return None
    order = np.argsort(norms.steps[usable], kind="stable")
    ratios = norms.values[usable] / np.maximum(limits[usable], 1e-8)
    return norms.steps[usable][order], ratios[order]


@sign("clip-far-below-norm", questions.STEPS, "condition", Scale(3.0, 30.0, log=True))
def clip_far_below_norm(run: Run) -> Measured | str:
    """By what factor clipping shrinks the typical gradient: the median norm over the threshold.

    Up to three times is what people set on purpose. An adaptive optimizer cancels a constant factor on the gradient.
    """
    found = clip_ratios(run)
    if found is None:
        return "the run does not clip gradients, or too few clipping calls were seen"
    ratio = median(found[1]) or 0.0
    # Cancelled unless the clipped gradient is small against the optimizer's eps.
    small = max(0.4, ramp(typical(run, "eps_ratio") or 0.0, 0.01, 0.3, log=True))
    cancelled = 1.0 - small if adaptive(run) else 0.0
    threshold = typical(run, "clip/threshold") or 0.0
    by_value = run.clipping.by_value
    limit = num(run.clipping.threshold or 0.0)
    against = (
        f"the norm after clipping (values are clipped at {limit})" if by_value else f"the threshold of {num(threshold)}"
    )
    return Measured(
        ratio,
        f"the median gradient norm before clipping is {num(ratio)} times {against}",
        onset=int(found[0][0]),
        values={"ratio": ratio, "threshold": threshold},
        unless=Unless(cancelled, "the optimizer is adaptive, which cancels a constant factor on the gradient"),
    )


@sign("clip-share", questions.STEPS, "dynamics", Scale(0.6, 0.98), severity="info")
def clip_share(run: Run) -> Measured | str:
    """The share of steps whose gradient was clipped.

    A generous threshold catches a few per cent; many transformers clip half of their steps and train well. Nearly every
    step clipped means that the threshold, not the gradient, sets the size of the steps.
    """
    found = clip_ratios(run)
    if found is None:
        return "the run does not clip gradients, or too few clipping calls were seen"
    steps, ratios = found
    # A norm is above its threshold or not; of values, a few may be cut in every step without changing much.
    noticed = 1.1 if run.clipping.by_value else 1.0
    share = float((ratios > noticed).mean())
    threshold = typical(run, "clip/threshold") or configured_threshold(run) or 0.0
    return Measured(
        share,
        f"clipping reduced the gradient in {percent(share)} of {len(steps)} calls (threshold {num(threshold)})",
        values={"share": share, "calls": len(steps), "threshold": threshold},
    )


FEWEST = 20
CENTRES = 200


@sign("gradient-norm-heavy-tail", questions.STEPS, "dynamics")
def gradient_norm_heavy_tail(run: Run) -> Measured | str:
    """Rare enormous gradient norms among ordinary ones: the largest against the run's own ordinary norm.

    Ordinary is the larger of the median nearby and the median of the first quarter. The second is needed because a
    model that has nearly memorised its data has tiny norms, among which an ordinary hard batch looks enormous. Healthy
    runs stay within about ten times; a hundred times is a different regime.
    """
    # Clipping calls see the norm at every step, the sampled series only some.
    points = max((ordered(run.series(name)) for name in ("grad_norm", "clip/norm")), key=len)
    if len(points) < FEWEST or not fits_a_network(run):
        return f"fewer than {FEWEST} gradient norms were recorded, or no network is trained"
    early = median(span(points.values, 0.0, 0.25)) or 0.0
    reach = max(5, len(points) // 20)
    # The level nearby changes slowly against its window: a few hundred medians and lines between them will do.
    centres = np.unique(np.linspace(0, len(points) - 1, min(len(points), CENTRES)).astype(int))
    medians = [median(points.values[max(0, i - reach) : i + reach + 1]) or 0.0 for i in centres]
    ordinary = np.maximum(np.interp(np.arange(len(points)), centres, medians), early)
    if not (ordinary > 0).all():
        return "the gradient norm is zero over whole stretches"
    ratios = np.minimum(points.values / ordinary, 1e300)
    worst = int(np.argmax(ratios))
    level = ramp(float(ratios[worst]), 10.0, 100.0, log=True)
    # Outliers must be rare: where a tenth of the norms are that large, they are ordinary, and the steps are at fault.
    rare = float(np.mean(ratios > 10.0))
    level *= ramp(rare, 0.3, 0.1)
    return Measured(
        float(ratios[worst]),
        f"the largest gradient norm is {num(points.values[worst])} at {moment(run, int(points.steps[worst]))}, "
        f"{num(ratios[worst])} times the usual {num(ordinary[worst])}; {percent(rare)} of the norms exceed 10 times "
        "the usual",
        level,
        onset=first_step_above(type(points)("ratio", points.steps, ratios), 10.0),
        values={"largest": float(points.values[worst]), "step": int(points.steps[worst]), "share": rare},
    )


UNIT_UNKNOWN = 0.4


@sign(
    "gradient-norm-level",
    questions.STEPS,
    "dynamics",
    remedy="Check the scale of inputs, targets and loss before you change the learning rate.",
)
def gradient_norm_level(run: Run) -> Measured | str:
    """The typical gradient norm, before clipping.

    The classic band is 0.1 to 10, with more than 100 called exploding. The unit of the loss moves that band (a sum over
    the batch, targets in raw units), so the level needs both: a norm above 100, and a large elasticity norm x weights /
    loss, which has no unit: by what per cent the loss changes when the weights change by one per cent. Ordinary
    networks show 1 to 50. Without the weights, as in a log, the level alone is a remark and raises nothing. A loss far
    above that of a guess is no measure; the guess's is taken then. A small norm is not held against a run: every run
    that converges has one.
    """
    name = "grad_norm" if run.series("grad_norm").finite else "clip/norm"
    norm = typical(run, name)
    if norm is None or not fits_a_network(run):
        return "no gradient norm was recorded, or no network is trained"
    level = ramp(norm, 100.0, 1e4, log=True)
    weights, loss = typical(run, "weight_norm"), typical(run, "loss/train")
    elasticity = None
    if weights is not None and loss is not None and loss > 0:
        chance = chance_level(run)
        summed = any(call.reduction == "sum" for call in run.training_losses)
        if chance is not None and not summed and not has_other_terms(run):
            loss = min(loss, chance.loss)
        elasticity = norm * weights / loss
        level = min(level, ramp(elasticity, 100.0, 1e4, log=True))
    else:
        level = min(level, UNIT_UNKNOWN)
    norms = ordered(run.series(name)).values
    where = "above" if norm > 10 else "below" if norm < 0.1 else "within"
    return Measured(
        norm,
        f"the median gradient norm is {num(norm)} (range {num(norms.min())} to {num(norms.max())}), "
        f"{where} the usual 0.1 to 10",
        level,
        values={"median": norm, "first": float(norms[0]), "last": float(norms[-1]), "elasticity": elasticity},
    )


@sign("gradient-settled", questions.STEPS, "dynamics", Scale(2.0, 4.0), severity="info", end="light")
def gradient_settled(run: Run) -> Measured | str:
    """How far the gradient norm has fallen: by orders of magnitude where a minimum was reached.

    Steps that pass the minimum to and fro, or a learning rate that is too high, keep the gradient up. A gradient that
    is gone says nothing good by itself: dead units have none either.
    """
    early, late = typical(run, "grad_norm", 0.0, 0.05), typical(run, "grad_norm", 0.9, 1.0)
    if early is None or late is None or early <= 0 or late < 0:
        return "no gradient norm was recorded"
    decades = math.log10(max(early / max(late, 1e-30), 1e-300))
    return Measured(
        decades,
        f"the gradient norm goes from {num(early)} early in the run to {num(late)} late in the run",
        values={"early": early, "late": late},
    )


def _unscaled(_run: Run, sign: Sign) -> str | None:
    return None if sign.values.get("scaler") else "no loss scaler is in use"


@sign(
    "gradient-underflow",
    questions.PRECISION,
    "fault",
    Scale(0.5, 0.9),
    check=checks.GRADIENT_FLOW,
    remedy="Scale the loss (GradScaler) or train in bfloat16 or float32.",
    witnesses=(
        Fact("Most elements of the float16 gradients are exactly zero, beyond the share of dead units."),
        Fact("No loss scaler lifts them.", _unscaled),
    ),
    refuters=(Fact("bfloat16 or float32: nothing underflows there."),),
)
def gradient_underflow(run: Run) -> Measured | str:
    """Gradient elements that are exactly zero because float16 cannot hold them.

    Units that are off give exact zeros in every format, so the share of dead units is taken out first, and half of
    zeros is what a rectified network may show. bfloat16 has the range of float32: nothing underflows there.
    """
    formats = run.precision
    if not formats.float16 or formats.grad_underflow is None:
        return "no float16 gradients were looked at"
    dead = min(max(median(layer_medians(run.layers("act_dead"), 0.75).values()) or 0.0, 0.0), 0.99)
    share = min(max((formats.grad_underflow - dead) / (1 - dead), 0.0), 1.0)
    return Measured(
        share,
        f"{percent(share)} of the float16 gradient elements underflow to zero, dead units not counted",
        values={"zero_share": formats.grad_underflow, "dead_share": dead, "scaler": formats.scaler},
    )
