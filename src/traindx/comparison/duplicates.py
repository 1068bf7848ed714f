"""Finds runs with the same curve: a copy, a run that was logged twice, or a setting that had no effect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .types import Duplicates, Entry, Measured

FEWEST_POINTS = 8  # shorter curves agree by chance
NEAR = 0.1  # largest distance of near copies, in units of the curve's noise; runs with other seeds are 1.4 apart
EQUAL_START = 1e-3  # relative difference of the first values


def duplicates_among(entries: Sequence[Entry], metric: str) -> list[Duplicates]:
    """Group the runs with equal curves, by training loss if there is one, because it has the most points."""
    curves = [entry.outcome.measured.get("loss/train") or entry.outcome.measured.get(metric) for entry in entries]
    usable = [i for i, curve in enumerate(curves) if curve is not None and np.isfinite(curve.values[:1]).all()]
    usable.sort(key=lambda i: _first(curves[i]))
    group_of = list(range(len(entries)))
    exact: dict[int, bool] = {}
    for place, i in enumerate(usable):
        for j in usable[place + 1 :]:
            # Sorted by the first value, equal curves are neighbours, so even a thousand runs need few comparisons.
            if _first(curves[j]) - _first(curves[i]) > EQUAL_START * abs(_first(curves[i])):
                break
            same = _same(curves[i], curves[j])
            if same is not None:
                old, new = group_of[j], group_of[i]
                group_of = [new if group == old else group for group in group_of]
                exact[new] = exact.get(new, True) and exact.pop(old, True) and same
    found = []
    for group, identical in exact.items():
        members = [entry for entry, its in zip(entries, group_of, strict=True) if its == group]
        differ = any(dict(member.settings) != dict(members[0].settings) for member in members)
        found.append(Duplicates([member.name for member in members], identical, differ))
    return found


def _first(curve: Measured | None) -> float:
    return float(curve.values[0]) if curve is not None else 0.0


def _same(one: Measured | None, other: Measured | None) -> bool | None:
    """Compare the curves at their common steps: True if identical, False if nearly so, None if they differ."""
    assert one is not None and other is not None
    if len(one.steps) < FEWEST_POINTS or len(other.steps) < FEWEST_POINTS:
        return None
    if np.array_equal(one.steps, other.steps) and np.array_equal(one.values, other.values, equal_nan=True):
        return True
    _, mine, its = np.intersect1d(one.steps, other.steps, return_indices=True)
    shorter = min(len(one.steps), len(other.steps))
    if len(mine) < max(FEWEST_POINTS, 0.8 * shorter):
        return None
    a, b = one.values[mine], other.values[its]
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)) or finite.sum() < FEWEST_POINTS:
        return None
    a, b = a[finite], b[finite]
    noise = float(np.median(np.abs(np.diff(a))))
    distance = float(np.abs(a - b).max())
    if distance == 0:
        return True
    # A curve without noise has nothing that identifies it.
    return False if noise > 0 and distance < NEAR * noise else None
