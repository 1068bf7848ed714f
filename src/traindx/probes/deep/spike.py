"""The batch before a spike, replayed on earlier weights: if it stands out there too, it is the data; if not, the
step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from ..unchanged import streams_unchanged, unchanged

# Deviations (robust) above the other batches' median beyond which a batch stands out; three quarters of a per mille
# of batches of a normal spread would.
STANDS_OUT = 5.0


@dataclass(frozen=True)
class SpikeReplay:
    """Losses on the earlier weights: of the suspect and of ordinary batches; `deviations` places it among them."""

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
    # A spread of nothing would make any batch stand out; a percent of the level is the least that batches differ by.
    spread = max(1.4826 * float(np.median(np.abs(usual - middle))), 0.01 * abs(middle), 1e-12)
    deviations = (found - middle) / spread if np.isfinite(found) else float("inf")
    verdict: Literal["data", "step"] = "data" if deviations > STANDS_OUT else "step"
    return SpikeReplay(found, tuple(usual.tolist()), float(deviations), verdict)
