"""Healthy, sick or inconclusive: from the probabilities, and from what needs no cause to be called trouble."""

from __future__ import annotations

from collections.abc import Mapping

from .model import HEALTHY, UNKNOWN
from .types import Verdict

# A false alarm costs more trust than a miss: a run is called sick only when it is clearly more likely sick than not.
# The probability of `healthy` below which a run may be called sick. Most faults leave no trace in a log, so there
# `healthy` never gets far, and its being low means less.
ALARM = {"observed": 0.3, "log": 0.2}
# The confidence that a leading cause needs for that. In a log causes share what little shows.
NAMED = {"observed": 0.5, "log": 0.25}
# Trouble that is plain to see, whatever causes it, and the level at which it is.
PLAIN_TROUBLE = {"loss-not-finite": 0.7, "loss-diverged": 0.9}
# A loss may rise because the task is made harder on purpose; then all else speaks for the run.
MEANT = 0.6
# Trouble that forbids to call a run healthy.
DOUBTFUL = {
    "loss-stuck": 0.7,
    "loss-plateau": 0.8,
    "loss-diverged": 0.5,
    "loss-oscillating": 0.8,
    "loss-heads-wrong-way": 0.5,
    "validation-rising": 0.8,
    "validation-gap": 0.8,
    "loss-falling-slowly": 0.8,
    "gradients-zero": 0.8,
}
TOO_SHORT = 0.5


def decide(chances: Mapping[str, float], levels: Mapping[str, float], kind: str = "observed") -> Verdict:
    """The verdict for these probabilities and levels of signs. `kind`: `observed` or `log`."""
    plain = [sign for sign, level in PLAIN_TROUBLE.items() if levels.get(sign, 0.0) >= level]
    if plain and (plain != ["loss-diverged"] or chances[HEALTHY] < MEANT):
        return "sick"
    leading, confidence = max(((n, c) for n, c in chances.items() if n != HEALTHY), key=lambda item: item[1])
    if chances[HEALTHY] < ALARM[kind]:
        return "sick" if leading != UNKNOWN and confidence >= NAMED[kind] else "inconclusive"
    if levels.get("too-short", 0.0) >= TOO_SHORT:
        return "inconclusive"
    doubtful = any(levels.get(sign, 0.0) >= level for sign, level in DOUBTFUL.items())
    return "inconclusive" if doubtful or chances[HEALTHY] < confidence else "healthy"
