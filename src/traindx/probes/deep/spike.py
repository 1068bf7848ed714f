"""Replays the batch of a loss spike on earlier weights. If the batch stands out there too, the data cause the spike;
if not, the step does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from ..unchanged import streams_unchanged, unchanged

STANDS_OUT = 5.0  # robust deviations above the median of the other batches


@dataclass(frozen=True)
class SpikeReplay:
    """Losses on the earlier weights, of the suspect batch and of ordinary ones, and the suspect's distance from them
    in robust deviations."""

    suspect: float
    others: tuple[float, ...]
    deviations: float
    verdict: Literal["data", "step"]


def replay_spike(
    model: Any, loss: Callable[[Any], Any], suspect: Any, others: Sequence[Any], earlier: Mapping[str, Any]
) -> SpikeReplay:
    """`earlier` is the model's state dict before the spike; `others` are ordinary batches."""
    if len(others) < 4:
        raise ValueError("at least four ordinary batches are needed to compare with")
    with unchanged(model), torch.no_grad():
        model.load_state_dict(earlier)

        def value(batch: Any) -> float:
            with streams_unchanged():
                return float(loss(batch))

        found, usual = value(suspect), np.array([value(batch) for batch in others])
    middle = float(np.median(usual))
    # Batches differ by at least 1 %: with a spread of zero, any batch would stand out.
    spread = max(1.4826 * float(np.median(np.abs(usual - middle))), 0.01 * abs(middle), 1e-12)
    deviations = (found - middle) / spread if np.isfinite(found) else float("inf")
    # The spread of a few batches is a rough estimate, so the batch must lie far beyond all of them too.
    far = found > 2 * float(usual.max()) - middle or not np.isfinite(found)
    verdict: Literal["data", "step"] = "data" if deviations > STANDS_OUT and far else "step"
    return SpikeReplay(found, tuple(usual.tolist()), float(deviations), verdict)
