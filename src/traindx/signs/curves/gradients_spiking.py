"""How far single gradient norms jump beyond their own distribution.

Each norm is measured against the median of those before it, in ratios, by the spread of just that quantity. Norms
are heavy-tailed in healthy runs: four times the usual is ordinary, twenty times is not. The first hundredth of the
run is left out, where norms settle. It is a warning when the loss jumps with it.
"""

from __future__ import annotations

import math

from ...record import Run
from ...wording import num4, times
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._excursions import gradient_excursions, loss_excursions
from ..curve import gradient_norm, moment, training_loss

ID = "gradients-spiking"
QUESTION = questions.STEPS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    norm, loss = gradient_norm(run), training_loss(run)
    if len(norm) < 3:
        return Missing(ID, "fewer than three gradient norms were recorded")
    if norm.values.min() <= 0:
        return Missing(ID, "gradient norms of zero cannot be compared as ratios")
    found = [e for e in gradient_excursions(run) if e.start >= max(2, len(norm) // 100)]
    if not found:
        return Sign(ID, 0.0, 0.0, f"None of {len(norm)} gradient norms stands out.", values={"count": 0})
    highest = max(found, key=lambda e: e.height)
    level = min(ramp(highest.z, 5, 10), ramp(highest.height, math.log(4), math.log(20)))
    first = next(e for e in found if e.height >= 0.5 * highest.height)
    onset, peak = int(norm.steps[first.start]), int(norm.steps[highest.peak])
    jumps = [float(loss.steps[e.start]) for e in loss_excursions(run) if e.level >= 0.5]
    near = 3 * max(norm.spacing, loss.spacing)
    with_loss = any(
        abs(step - norm.steps[e.peak]) <= near or abs(step - norm.steps[e.start]) <= near
        for step in jumps
        for e in found
    )
    values = {
        "count": len(found),
        "peak": float(norm.values[highest.peak]),
        "log_ratio": highest.height,
        "with_loss": with_loss,
    }
    text = (
        f"Gradient norm jumps to {num4(values['peak'])} at {moment(run, peak)}, {times(highest.height)} the median "
        f"before it{', and the loss jumps with it' if with_loss else ''}."
    )
    severity: Severity = "warning" if level >= 0.5 and with_loss else "info"
    return Sign(ID, highest.height, level, text, onset if level >= 0.5 else None, severity, values)
