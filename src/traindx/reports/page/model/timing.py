"""Where the time of a step goes, and memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....record import Run, Series
from .arrays import packed

PARTS = {
    "time/data": "Waiting for data",
    "time/forward": "Forward",
    "time/backward": "Backward",
    "time/step": "Optimizer step",
    "time/between": "Between steps",
}
SETTLED = 3  # the first steps pay for what later ones have ready


def timing(run: Run) -> dict[str, Any] | None:
    parts = [part for name, words in PARTS.items() if (part := _part(run.series(name), words))]
    memory = run.series("memory").finite
    if not parts and not memory:
        return None
    total = _typical(run.series("time/total"))
    if total is None or total < sum(part["seconds"] for part in parts):
        total = sum(part["seconds"] for part in parts)
    rest = total - sum(part["seconds"] for part in parts)
    if parts and rest > 0.02 * total:
        parts.append({"name": "rest", "label": "Elsewhere", "seconds": rest})
    step = run.series("time/total").finite
    return {
        "parts": parts,
        "step_seconds": total,
        "sampled": len(step),
        "step_times": packed(step) if step else None,
        "memory": packed(_by_step(memory)) if memory else None,
    }


def _part(series: Series, words: str) -> dict[str, Any] | None:
    seconds = _typical(series)
    return None if seconds is None else {"name": series.name, "label": words, "seconds": seconds}


def _typical(series: Series) -> float | None:
    """The median of a settled step, in seconds: a rare long pause is not where the time usually goes."""
    values = series.finite.values
    values = values[SETTLED:] if len(values) > 2 * SETTLED else values
    return float(np.median(values)) if len(values) else None


def _by_step(series: Series) -> Series:
    """The last value of each step: memory is read about once a second, also before the first step."""
    last = np.append(series.steps[1:] != series.steps[:-1], True)
    return Series(series.name, series.steps[last], series.values[last])
