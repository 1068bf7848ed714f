"""Successive gradients against each other: their direction and their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import RAISED, Measured, Scale, Unless, ramp, sign
from .._data import AMPLE_UPDATES, SCARCE_UPDATES, effective_batch, updates_per_epoch
from .._tables import bins, first_step_above, median, ordered, span, typical

FEWEST = 4
SEVERAL = 3.0  # updates in an epoch: with fewer, batches differ by little
WITHOUT_NOISE = 0.6  # what that takes from gradients that agree


@sign("gradients-agree", questions.STEPS, "dynamics", severity="info")
def gradients_agree(run: Run) -> Measured | str:
    """How parallel successive gradients are: the median cosine after the first quarter of the run.

    Mini-batch training shows 0 to 0.5, because noise turns each gradient; training on the full data shows up to 0.9. A
    cosine of nearly 1 means that each step repeats the last one: steps could be larger, or there could be more of them.
    The first quarter is left out because nearly every run begins like this, and adversarial training because its
    networks drift together. Where an epoch has one or two updates, its batches differ by little.
    """
    cosine = typical(run, "grad_cosine", 0.25)
    if cosine is None or len(run.series("grad_cosine").finite) < FEWEST:
        return f"fewer than {FEWEST} cosines between successive gradients were measured"
    level = ramp(cosine, 0.9, 0.995) if len(run.optimizers) < 2 else 0.0
    updates = updates_per_epoch(run)
    few = updates is not None and updates < SEVERAL
    return Measured(
        cosine,
        f"the median cosine of successive gradients is {num(cosine)} after the first quarter of the run"
        + (": each step repeats the last direction" if level >= RAISED else "")
        + " (0 to 0.5 is typical)",
        level,
        values={"median": cosine, "points": len(run.series("grad_cosine").finite)},
        unless=Unless(WITHOUT_NOISE * few, "an epoch has one or two updates, so its batches differ by little"),
    )


@sign("gradients-oppose", questions.STEPS, "dynamics", end="deep")
def gradients_oppose(run: Run) -> Measured | str:
    """Whether successive gradients point opposite ways late in the run: the median cosine of the last third.

    Unrelated batches give cosines around zero and a run at its noise floor a little below; steps that leap across a
    valley give strongly negative ones. The mean must be below zero by three standard errors, so that a few noisy pairs
    do not count.
    """
    points = ordered(run.series("grad_cosine"))
    late = np.clip(span(points.values, 2 / 3, 1.0), -1.0, 1.0)
    if len(late) < FEWEST:
        return "too few cosines between successive gradients late in the run"
    cosine = typical(run, "grad_cosine", 2 / 3) or 0.0
    error = float(np.std(late)) / math.sqrt(len(late))
    significant = float(np.mean(late)) < -3.0 * error
    level = ramp(-cosine, 0.1, 0.6) if significant else 0.0
    return Measured(
        cosine,
        f"the median cosine of successive gradients is {num(cosine)} late in the run"
        + (": they point in opposite directions" if level >= RAISED else "")
        + " (about 0 is typical)",
        level,
        onset=first_step_above(type(points)("", points.steps, -points.values), 0.3),
        values={"late": cosine, "whole": typical(run, "grad_cosine"), "points": len(points)},
    )


OVERSHOT = Scale(0.15, 0.6)
FEWEST_STEPS = 3


@sign("step-overshoots", questions.STEPS, "dynamics", OVERSHOT)
def step_overshoots(run: Run) -> Measured | str:
    """Whether a step passes the minimum along its own direction: the median cosine of the update with the next
    gradient.

    Positive means that, after the step, the loss rises along the direction just taken: the minimum is behind. Noise of
    mini-batches gives values around zero; a healthy step leaves a gradient that still points on, a negative cosine.
    Full batches at the edge of stability hover a little above zero.
    """
    points = ordered(run.series("update_cosine"))
    cosine = typical(run, "update_cosine")
    if cosine is None or len(points) < FEWEST_STEPS:
        return f"fewer than {FEWEST_STEPS} cosines between an update and the next gradient were measured"
    positive = float((points.values > 0).mean())
    meaning = ": steps overshoot the minimum" if OVERSHOT.level(cosine) >= RAISED else ""
    return Measured(
        cosine,
        f"after {percent(positive)} of the steps checked the loss rises along the step just taken (median cosine of "
        f"update and next gradient {num(cosine)}){meaning}",
        onset=first_step_above(points, 0.3),
        values={"median": cosine, "positive_share": positive, "points": len(points)},
    )


CEILING = 0.9e6


@sign("noise-scale-large", questions.BATCH, "dynamics", Scale(30.0, 300.0, log=True))
def noise_scale_large(run: Run) -> Measured | str:
    """The gradient noise scale (the batch at which noise and signal are equal) against the batch in use.

    Up to twenty times the batch is ordinary for the median of a run: averaged over steps such gradients still make
    progress, and at the end the signal is spent in every healthy run. Hundreds mean that single gradients carry next to
    no signal.
    """
    found = _noise_against_batch(run)
    if found is None:
        return "no estimate of the gradient noise scale against a known batch size"
    scale, batch = found.typical, found.batch
    ratio = scale / batch
    return Measured(
        ratio,
        f"the gradient noise scale is about {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}",
        values={"noise_scale": scale, "batch": batch},
    )


@sign("noise-scale-small", questions.BATCH, "dynamics", severity="info")
def noise_scale_small(run: Run) -> Measured | str:
    """The gradient noise scale far below the batch in use: most of each batch is spent on precision nobody needs.

    That costs only where updates are scarce: training on the full data for thousands of steps has no noise at all and
    is healthy. So the level also asks for fewer than a thousand updates.
    """
    found = _noise_against_batch(run)
    if found is None or run.steps <= 0:
        return "no estimate of the gradient noise scale against a known batch size"
    scale, batch = found.noisiest, found.batch
    ratio = scale / batch
    level = ramp(ratio, 0.1, 0.001, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    return Measured(
        ratio,
        f"the gradient noise scale is at most {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}; "
        f"the run made {run.steps} updates",
        level,
        values={"noise_scale": scale, "batch": batch, "steps": run.steps},
    )


@dataclass(frozen=True)
class _Noise:
    """The noise scale in samples: typical, and in the noisiest quarter of the run."""

    typical: float
    noisiest: float
    batch: float


def _noise_against_batch(run: Run) -> _Noise | None:
    """None where too few estimates were made, or where gradients oppose each other.

    The estimate takes what successive gradients have in common for the signal. Late in a healthy run little of it is
    left; where steps leap across a valley the common part is negative, whatever the noise.
    """
    batch = effective_batch(run)
    estimates = ordered(run.series("noise_scale")).values
    cosines = np.clip(ordered(run.series("grad_cosine")).values, -1.0, 1.0)
    # A pair of gradients with nothing in common gives a ceiling (a million batches) in place of an estimate.
    estimates = estimates[estimates < CEILING * (batch or 0.0)]
    if batch is None or len(estimates) < FEWEST:
        return None
    if len(cosines) and cosines.mean() < -2.0 * cosines.std() / math.sqrt(len(cosines)):
        return None
    estimates = np.maximum(estimates, 0.0)
    return _Noise(median(estimates) or 0.0, max(bins(estimates, 4)), batch)
