"""Names and limits that writers and readers of a record share."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the writer uses this module, and must not import numpy before the script does
    from .types import FloatArray

MOST_STEPS = 1 << 53
LOGGED = "logged/"  # before the name of a column that a script logs to `traindx.start`
LONGEST_NAME = 4096  # characters; a record with a longer name is refused as damaged
# Quantities that are shares, and quantities that are never negative, in series and in per-layer tables.
_SHARES = {
    "accuracy/train", "accuracy/validation", "error/confident", "label_majority", "correct/majority",
    "grad_zero", "act_zero", "act_saturated", "act_dead", "preact_large", "nonfinite",
}  # fmt: skip
_SIZES = {
    "grad_norm", "update_ratio", "weight_norm", "decay_ratio", "eps_ratio", "clip/norm", "clip/threshold", "batch_size",
    "input_rms", "input_max", "target_max", "graph_nodes", "chain/gradient_ratio", "chain/length",
    "loss_scale", "memory", "grad_rms", "update_norm", "act_std", "replica_norm",
}  # fmt: skip


def in_range(quantity: str, values: FloatArray) -> FloatArray:
    """Return the values, with NaN for those that are impossible for this quantity."""
    if quantity in _SHARES or quantity in _SIZES:
        values = values.copy()
        values[~((values >= 0) & (values <= (1 if quantity in _SHARES else math.inf)))] = math.nan
    return values


def short_name(name: str) -> str:
    """Return the name as a record can hold it: not too long, without halves of characters. Other names stay others."""
    whole = name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()
    if len(whole) <= LONGEST_NAME:
        return whole
    return f"{whole[:200]} ({hashlib.sha256(whole.encode()).hexdigest()[:12]})"


MASK = "***"  # replaces an argument or a part of a message that may be a secret
