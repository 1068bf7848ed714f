"""How far evaluation inputs are from training inputs: shift of the mean in deviations, and the ratio of deviations.

By feature where features are known one by one, else over all values; three standard errors of the sampled means are
taken off. Augmentation moves these by a few tenths; data that were not normalised alike by far more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...record import Run
from .._base import Missing, Sign, ramp
from .._facts import number, numbers
from .._inputs import real_inputs
from .._tables import median
from .._words import grave, num

ID = "train-eval-inputs-differ"
FEWEST_SAMPLES = 8


def _moments(stats: Mapping[str, Any]) -> list[tuple[float, float]]:
    """(mean, deviation) over all values, then by feature."""
    means, spreads = numbers(stats.get("feature_mean")), numbers(stats.get("feature_std"))
    pairs = list(zip(means, spreads, strict=True)) if len(means) == len(spreads) else []
    mean, spread = number(stats.get("mean")), number(stats.get("std"))
    return pairs if len(pairs) >= 1 else [(mean, spread)] if mean is not None and spread is not None else []


def measure(run: Run) -> Sign | Missing:
    sides = [real_inputs(run, part) for part in ("train", "eval")]
    if sides[0] is None or sides[1] is None:
        return Missing(ID, "training and evaluation inputs were not both looked at")
    samples = min(number(side.get("samples")) or 0.0 for side in sides if side is not None)
    train, held = _moments(sides[0]), _moments(sides[1])
    usable = [(a, b) for a, b in zip(train, held, strict=False) if a[1] > 1e-12 and b[1] >= 0]
    if samples < FEWEST_SAMPLES or len(train) != len(held) or not usable:
        return Missing(ID, "too few samples, or inputs of different kinds")
    error = 3.0 * math.sqrt(2.0 / samples)
    shift = median(max(0.0, abs(b[0] - a[0]) / a[1] - error) for a, b in usable) or 0.0
    ratio = median(abs(math.log(max(b[1], 1e-12) / a[1])) for a, b in usable) or 0.0
    largest = max(max(0.0, abs(b[0] - a[0]) / a[1] - error) for a, b in usable)
    # Of many features some always differ; a single one has to be far away to count.
    level = max(ramp(shift, 0.3, 1.5), ramp(ratio, math.log(1.6), math.log(4.0)), ramp(largest, 3.0, 10.0, log=True))
    (mean_a, std_a), (mean_b, std_b) = usable[0]
    return Sign(
        ID,
        max(shift, ratio),
        level,
        f"evaluation inputs are shifted by {num(shift)} training deviations and their spread differs by a factor of "
        f"{num(math.exp(min(ratio, 700.0)))} (mean {num(mean_b)}, deviation {num(std_b)}, against {num(mean_a)} and "
        f"{num(std_a)} in training)",
        severity=grave(level, "warning"),
        values={"shift": shift, "spread_ratio": math.exp(min(ratio, 700.0)), "largest_shift": largest},
    )
