"""Histograms of layer outputs, at a few of the deep looks: the first, a late one, and some between.

The values are those that `graph.py` has copied for the layers' means and spreads; nothing else is read or kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from ..session import Session

LOOKS = 8
LAYERS = 40
BINS = 24
NEXT = 1.05  # looks that follow each other closely would be pictures of the same thing: the step grows by this factor
SMALLEST = 1e-30  # range of values, to divide by


class Watcher:
    name = "histograms"
    AFTER = ()

    def __init__(self, session: Session) -> None:
        self.session = session
        self._step = -1  # the last one at which outputs were counted
        self._chosen: set[str] = set()
        # Filled and read on the writing thread.
        self._looks: dict[int, list[dict[str, Any]]] = {}
        self._changed = False

    @torch.no_grad()
    def outputs_copied(self, names: Sequence[str], parts: Any) -> None:
        step = self.session.step
        if step != self._step:
            if self._step >= 0 and step + 1 < NEXT * (self._step + 1):
                return
            self._step = step
            self._chosen = spread_out([name for name, module in self.session.naming.modules() if not module._modules])
        rows = [row for row, name in enumerate(names) if name in self._chosen]
        if rows:
            chosen = parts if len(rows) == len(names) else torch.stack([parts[row] for row in rows])
            self.session.metrics.later(counted(chosen), partial(self._keep, step, [names[row] for row in rows]))

    def _keep(self, step: int, names: list[str], rows: list[list[float]]) -> None:
        layers = self._looks.setdefault(step, [])
        for name, (low, high, *counts) in zip(names, rows, strict=True):
            if math.isfinite(low) and math.isfinite(high):
                layers.append({"name": name, "low": low, "high": high, "counts": [int(count) for count in counts]})
        self._looks = {step: self._looks[step] for step in spaced(sorted(self._looks))}
        self._changed = True

    def flush(self) -> None:
        if self._changed:
            self._changed = False
            looks = [{"step": step, "layers": layers} for step, layers in self._looks.items() if layers]
            self.session.writer.fact("activation_histograms", looks)


def spread_out(names: list[str]) -> set[str]:
    """At most `LAYERS` of them, from the first to the last."""
    return {names[i * len(names) // LAYERS] for i in range(LAYERS)} if len(names) > LAYERS else set(names)


def spaced(steps: list[int]) -> list[int]:
    """At most `LOOKS` of them: the first, the last, and of those between the ones that stand apart, on a logarithmic
    axis, as training does most at its start."""
    kept = list(steps)
    while len(kept) > LOOKS:
        gaps = [math.log((kept[i + 1] + 1) / (kept[i - 1] + 1)) for i in range(1, len(kept) - 1)]
        del kept[1 + gaps.index(min(gaps))]
    return kept


def counted(parts: Any) -> Any:
    """The least and the greatest value of each row, and the counts in `BINS` equal bins between them."""
    low, high = parts.aminmax(dim=1, keepdim=True)
    bins = ((parts - low) * (BINS / (high - low).clamp_min(SMALLEST))).long().clamp_(0, BINS - 1)
    count = _on_cpu if parts.is_cpu else _anywhere
    return torch.cat([low, high, count(bins).to(parts.dtype)], dim=1)


def _on_cpu(bins: Any) -> Any:
    rows = len(bins)
    places = bins + BINS * torch.arange(rows, device=bins.device).unsqueeze(1)
    return torch.bincount(places.reshape(-1), minlength=BINS * rows).reshape(rows, BINS)


def _anywhere(bins: Any) -> Any:
    # On an accelerator `bincount` would wait for it, and adding at places is refused where a script asks for
    # deterministic operations.
    return (bins.unsqueeze(2) == torch.arange(BINS, device=bins.device)).sum(dim=1)
