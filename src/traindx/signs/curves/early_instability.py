"""How far the loss rises above its start within the first tenth of the run before it settles.

Measured as a ratio of the highest early level to the first loss, against the noise of the settled course; gradient
norms that spike within the first twentieth, before their usual size, count for half. Only where the run
later falls below its start: what never settles is loss-diverged.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, ramp
from ..curve import Curve, gradient_norm, is_excerpt, moment, spread_of_differences, training_loss

ID = "early-instability"
QUESTION = questions.FALLS
SHOWS = "outcome"


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 10 or is_excerpt(run):
        return Missing(ID, "the start of the run, or ten training losses, were not recorded")
    y = loss.ratios
    window = max(5, len(loss) // 10)
    few = max(1, window // 20)
    start = float(np.median(y[:few]))
    peak = few + int(np.argmax(y[few:window]))
    height = float(y[peak]) - start
    settled = float(np.median(y[window:])) < start
    # Early batches may be noisier than the settled course: their own differences set the yardstick as well.
    noise = max(spread_of_differences(y[window:]), spread_of_differences(y[:window]) if len(loss) >= 50 else 0.0, 0.01)
    level = min(ramp(height / noise, 5, 10), ramp(height, math.log(1.3), math.log(2.5))) if settled else 0.0
    norms = _norm_spike(gradient_norm(run)) if settled else 0.0
    values = {
        "first": loss.first,
        "peak": float(loss.values[peak]),
        "peak_step": int(loss.steps[peak]),
        "log_ratio": height,
        "norm_spike": norms,
    }
    combined = max(level, 0.5 * norms)
    if combined < 0.5:
        return Sign(
            ID,
            height,
            combined,
            f"Training loss begins at {num4(loss.first)} and then reaches at most {num4(values['peak'])} in the first "
            "tenth of the run.",
            None,
            "info",
            values,
        )
    if level >= 0.5:
        text = (
            f"Training loss rises from {num4(loss.first)} to {num4(values['peak'])} by "
            f"{moment(run, int(values['peak_step']))} before it settles."
        )
    else:
        text = "Gradient norm spikes within the first twentieth of the run and then settles."
    return Sign(ID, height, combined, text, int(loss.steps[peak]), "info", values)


def _norm_spike(norm: Curve) -> float:
    """Early norms against the settled ones and against the very first."""
    if len(norm) < 40 or norm.values.min() <= 0:
        return 0.0
    early = norm.values[: len(norm) // 20]
    usual = float(np.quantile(norm.values[len(norm) // 10 :], 0.95))
    return ramp(float(early.max()) / max(usual, float(norm.values[0])), 10, 100, log=True)
