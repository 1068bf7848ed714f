"""Histograms of layer outputs by layer and look, from the fact `activation_histograms`, which is checked."""

from __future__ import annotations

from typing import Any

from ....record import Run
from ....record.values import entries, index, number, numbers, text

MOST_LOOKS = 16
MOST_LAYERS = 100
MOST_BINS = 64


def histograms(run: Run) -> dict[str, list[dict[str, Any]]]:
    """The histograms of each layer, ordered by step."""
    found: dict[str, list[dict[str, Any]]] = {}
    for look in entries(run.facts.get("activation_histograms"))[:MOST_LOOKS]:
        step = index(look.get("step"))
        for layer in entries(look.get("layers"))[:MOST_LAYERS]:
            low, high, counts = number(layer.get("low")), number(layer.get("high")), numbers(layer.get("counts"))
            usable = 0 < len(counts) <= MOST_BINS and min(counts) >= 0 and max(counts) > 0
            if step is not None and low is not None and high is not None and low <= high and usable:
                shown = {"step": step, "low": low, "high": high, "counts": counts}
                found.setdefault(text(layer.get("name")), []).append(shown)
    return {name: sorted(looks, key=lambda look: look["step"]) for name, looks in found.items()}
