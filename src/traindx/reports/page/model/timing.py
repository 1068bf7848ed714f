"""The time that each part of a step takes, and memory."""

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
}
SETTLED = 0.1  # this first share of the timed steps is left out: they include warm-up costs


def timing(run: Run) -> dict[str, Any] | None:
    parts = [part for name, words in PARTS.items() if (part := _part(run.series(name), words))]
    memory = run.series("memory").finite
    if not parts and not memory:
        return None
    total = sum(float(part["seconds"]) for part in parts)
    measured = _typical(run.series("time/total")) or 0.0
    # On the CPU, the parts are the whole step, and the rest is the observer's own time. On an accelerator, the parts
    # only measure how long it takes to launch the work; the script waits for its end elsewhere.
    if run.facts.get("devices") != ["cpu"] and measured > 1.02 * total:
        parts.append({"name": "rest", "label": "Other (waiting for the device, own code)", "seconds": measured - total})
        total = measured
    step = run.series("time/total").finite
    return {
        "parts": parts,
        "step_seconds": total,
        "between_seconds": _typical(run.series("time/between")),
        "sampled": len(step),
        "step_times": packed(step) if step else None,
        "memory": packed(_by_step(memory)) if memory else None,
    }


def _part(series: Series, words: str) -> dict[str, Any] | None:
    seconds = _typical(series)
    return None if seconds is None else {"name": series.name, "label": words, "seconds": seconds}


def _typical(series: Series) -> float | None:
    """The median after the first steps; unlike the mean, it ignores rare long pauses."""
    found = series.finite
    if not found:
        return None
    return float(np.median(found.values[int(SETTLED * len(found)) :]))


def _by_step(series: Series) -> Series:
    """The last value of each step. Memory is read about once a second, so a step can have several values."""
    last = np.append(series.steps[1:] != series.steps[:-1], True)
    return Series(series.name, series.steps[last], series.values[last])
