"""The JSON type of each fact (docs/record.md). Facts of another type are not read into a `Run`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the writer uses this module, and must not import numpy before the script does
    from .types import FloatArray

MOST_STEPS = 1 << 53
LOGGED = "logged/"  # before the name of a column that a script logs to `traindx.start`
LONGEST_NAME = 4096  # characters; a record with a longer name is refused as damaged
_COUNTS = ("steps", "backwards", "forwards", "eval_passes", "eval_passes_empty", "eval_losses_read")
_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("traindx", "python", "torch", "platform", "exit"), str),
    **dict.fromkeys(("started", "ended", "heartbeat"), (int, float)),
    **dict.fromkeys(
        (
            "script", "error", "observers_off", "modes", "precision", "data/train", "data/eval", "targets/train",
            "targets/eval", "label_order", "overlap", "repeats", "by_hand", "shift_relation", "feature_leak", "hoard",
            "distributed", "replicas", "log", "probe", "dependence", "memorise", "starts", "graph", "clipping",
            "coverage", "padding", "planned", "pulse", "recorder", "framework", "rank_samples", "stopped_at",
        ),
        dict,
    ),
    **dict.fromkeys(
        (
            "not_visible", "optimizers", "schedulers", "loaders", "models", "params", "first_layers", "backward_sites",
            "losses", "ops", "devices", "attention", "dropout", "memorise/other_rates", "deep", "spikes",
            "activation_histograms", "ranks",
        ),
        list,
    ),
}  # fmt: skip

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


def known_kinds(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts without those of a wrong type. Facts that this version does not know are kept."""
    return {key: value for key, value in facts.items() if value is None or _fits(key, value)}


def _fits(key: str, value: Any) -> bool:
    if key in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_STEPS
    kind = dict if key.startswith("graph/") else _KINDS.get(key)
    return kind is None or (isinstance(value, kind) and not isinstance(value, bool))


MASK = "***"  # replaces an argument or a part of a message that may be a secret
