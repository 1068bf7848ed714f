"""How far evaluation inputs are from training inputs: shift of the mean in deviations, and the ratio of deviations.

By feature where features are known one by one, else over all values; three standard errors of the sampled means are
taken off. Augmentation moves these by a few tenths; data that were not normalised alike by far more. Of tokens the
shares are compared: texts of one kind have most of their words in common.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...record import Run
from ...record.values import mapping, number, numbers
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._inputs import real_inputs
from .._tables import median

ID = "train-eval-inputs-differ"
QUESTION = questions.DATA
SHOWS = "condition"
DOUBT_FROM = 0.8
CHECK = checks.SAME_PREPARATION
FEWEST_SAMPLES = 8
SEVERAL = 8  # features, from which a part of them says something


def _moments(stats: Mapping[str, Any]) -> list[tuple[float, float]]:
    """(mean, deviation) over all values, then by feature."""
    means, spreads = numbers(stats.get("feature_mean")), numbers(stats.get("feature_std"))
    pairs = list(zip(means, spreads, strict=True)) if len(means) == len(spreads) else []
    mean, spread = number(stats.get("mean")), number(stats.get("std"))
    return pairs if len(pairs) >= 1 else [(mean, spread)] if mean is not None and spread is not None else []


def _share_apart(pairs: list[tuple[tuple[float, float], tuple[float, float]]], error: float) -> float:
    """The share of features that are shifted by a deviation, or of which the spread differs twofold.

    Features that hardly vary, like the rim of an image, do not really differ.
    """
    usual = math.sqrt(sum(a[1] ** 2 for a, _ in pairs) / len(pairs)) if pairs else 0.0
    known = [(a, b) for a, b in pairs if max(a[1], b[1]) > usual / 2]
    apart = [abs(b[0] - a[0]) / a[1] > 1.0 + error or not 0.5 < b[1] / a[1] < 2.0 for a, b in known]
    return sum(apart) / max(len(pairs), 1)


def _of_tokens(run: Run) -> Sign | None:
    """Tokens have no scale; what differs is how often each occurs."""
    found = mapping(run.fact("data/eval").get("ids"))
    distance, chance = number(found.get("distance")), number(found.get("by_chance"))
    samples = min(number(run.fact(f"data/{part}").get("samples")) or 0.0 for part in ("train", "eval"))
    if distance is None or chance is None or samples < FEWEST_SAMPLES:
        return None
    unseen = number(found.get("unseen")) or 0.0
    level = ramp(distance - chance, 0.15, 0.45)
    far = "differ" if level >= 0.5 else "are close"
    return Sign(
        ID,
        distance,
        level,
        f"token distributions of training and evaluation {far} (total variation {num(distance)}, "
        f"{num(min(chance, 1.0))} expected by chance); {percent(unseen)} of the evaluation tokens never occur in "
        "training",
        severity=if_raised(level, "warning"),
        values={"distance": distance, "by_chance": chance, "unseen": unseen},
    )


def measure(run: Run) -> Sign | Missing:
    tokens = _of_tokens(run)
    if tokens is not None:
        return tokens
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
    apart = _share_apart(usable, error)
    # Of many features some always differ; a single one has to be far away to count, or a good part of them clearly.
    level = max(
        ramp(shift, 0.3, 1.5),
        ramp(ratio, math.log(1.6), math.log(4.0)),
        ramp(largest, 3.0, 10.0, log=True),
        ramp(apart, 0.1, 0.3) if len(usable) >= SEVERAL else 0.0,
    )
    (mean_a, std_a), (mean_b, std_b) = usable[0]
    moments = f"evaluation mean {num(mean_b)}, std {num(std_b)}; training mean {num(mean_a)}, std {num(std_a)}"
    if len(usable) > 1:
        moments = (
            f"medians of {len(usable)} features; the largest shift of a mean is {num(largest)} std, and "
            f"{percent(apart)} of the features differ clearly; the first: {moments}"
        )
    return Sign(
        ID,
        max(shift, ratio),
        level,
        f"evaluation inputs {'differ from' if level >= 0.5 else 'are close to'} training inputs: "
        f"the mean differs by {num(shift)} std, the std by a factor of {num(math.exp(min(ratio, 700.0)))} "
        f"({moments})",
        severity=if_raised(level, "warning"),
        values={"shift": shift, "spread_ratio": math.exp(min(ratio, 700.0)), "largest_shift": largest},
    )
