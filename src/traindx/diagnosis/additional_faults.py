"""Additional faults in the same run: what is wrong beside the leading cause and not because of it.

The hypotheses of a diagnosis exclude each other, which is right for causes inferred from a curve. Two mistakes in one
program do not exclude each other: each is *seen* by signs of its own. So the signs that the leading cause accounts for
are removed, and the rest is judged again. Only signs that show a fault count: dead units, odd batches or a gap may have
any cause.
"""

from __future__ import annotations

from collections.abc import Mapping

from .model import SEEN, Model

LIKELY = 0.5
MOST = 3


def additional_faults(model: Model, levels: Mapping[str, float], first: str) -> list[tuple[str, float]]:
    """Causes that are seen beside `first`, with the probability of each once `first` is fixed; most likely first."""
    found: list[tuple[str, float]] = []
    fixed = [first]
    while len(found) < MOST:
        following = _next_fault(model, levels, fixed)
        if following is None:
            break
        found.append(following)
        fixed.append(following[0])
    return found


def _next_fault(model: Model, levels: Mapping[str, float], fixed: list[str]) -> tuple[str, float] | None:
    accounted = {*fixed, *(name for known in fixed for name in model.causes[known].explains)} & set(model.causes)
    gone = {sign for name in accounted for sign in model.causes[name].supports}
    left = {sign: level for sign, level in levels.items() if sign not in gone}
    chances = model.causes_given_wrong(left)
    candidates = [
        (name, chances[name])
        for name, cause in model.causes.items()
        if name not in accounted
        and not set(cause.explains) & set(fixed)  # else it would have been the leading cause
        and max((left.get(sign, 0.0) for sign in cause.caught_by), default=0.0) >= SEEN
        and chances[name] >= LIKELY
    ]
    return max(candidates, key=lambda item: item[1], default=None)
