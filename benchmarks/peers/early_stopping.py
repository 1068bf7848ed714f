"""The documented defaults of Lightning's EarlyStopping callback on the validation loss: patience 3, min_delta 0,
check_finite on. It claims no more than that a validation loss has not improved three times in a row, or is not finite.
"""

from __future__ import annotations

import math

from ._base import Said, Table

NAME = "EarlyStopping defaults"
CLAIMS = {"overfitting", "nonfinite"}
PATIENCE = 3


def say(table: Table) -> list[Said]:
    best, waited = math.inf, 0
    for value in table.validation.tolist():
        if not math.isfinite(value):
            return [Said("nonfinite", True, "validation loss is not finite")]
        best, waited = (value, 0) if value < best else (best, waited + 1)
        if waited >= PATIENCE:
            return [Said("overfitting", True, "three evaluations without improvement")]
    return []
