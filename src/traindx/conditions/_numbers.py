"""This run's own numbers, for remedies."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ..signs.curve import curve_of
from ..wording import num

NOT_SMALL = 1e-3  # what optimizers begin with by default, or more


def rate(run: Run) -> float | None:
    """The learning rate that was in force longest, or None."""
    curve = curve_of(run.series("lr"))
    return float(curve.values[len(curve) // 2]) if len(curve) else None


def lower_rate(run: Run, factor: float) -> str:
    """`3e-3 instead of 0.03`, or words where the learning rate is not known."""
    now = rate(run)
    return f"{num(now / factor)} instead of {num(now)}" if now else f"a {'tenth' if factor == 10 else 'third'} of it"


def higher_rate(run: Run) -> str:
    """30 times the learning rate; 3 times one that is not small already."""
    now = rate(run)
    factor = 3 if now and now >= NOT_SMALL else 30
    return f"{num(now * factor)} instead of {num(now)}" if now else f"{factor:g} times as much"


def both_ways(run: Run, signs: Signs, factor: float) -> str:
    """Rates to try: on both sides of the run's, or towards the usual ones where it is far from them."""
    now = rate(run)
    for name, step in (("rate-above-usual", 0.1), ("rate-below-usual", 10.0)):
        if now and (signs.level(name) or 0.0) >= 0.5:
            return f"{num(now * step)} instead of {num(now)}"
    if not now:
        return f"{factor:g} times as high and {factor:g} times as low"
    return f"{num(now * factor)} and {num(now / factor)} instead of {num(now)}"


def reached_accuracy(run: Run) -> float | None:
    """The smoothed accuracy at the end, the better one of training and validation, or None."""
    curves = [curve_of(run.series(name)) for name in ("accuracy/train", "accuracy/validation")]
    return max((curve.last for curve in curves if len(curve) >= 3), default=None)
