"""The documented defaults of W&B's metric z-score automation on the training loss: window 30, threshold 3, upward.

It claims an unusual value, no more; here an unusual rise is called a spike. TensorBoard documents no alerts.
"""

from __future__ import annotations

import numpy as np

from ._base import Said, Table

NAME = "W&B z-score defaults"
CLAIMS = {"spike"}
WINDOW, THRESHOLD = 30, 3.0


def say(table: Table) -> list[Said]:
    values = table.train
    for i in range(WINDOW, len(values)):
        before = values[i - WINDOW : i]
        spread = float(before.std())
        if spread > 0 and np.isfinite(values[i]) and values[i] - before.mean() > THRESHOLD * spread:
            return [Said("spike", True, f"z-score above {THRESHOLD:g} at point {i}")]
    return []
