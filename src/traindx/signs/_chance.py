"""The loss of the trivial predictor, where the run shows enough to know it.

Seen from inside: the loss function and the targets it was given. From a log: only a number of classes or a
vocabulary among its hyperparameters, and then only as what cross entropy would be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..record import Run
from ._curve import once_per_run

CLASS_KEYS = ("num_classes", "n_classes", "num_labels", "nc", "vocab_size", "n_vocab")


@dataclass(frozen=True)
class Chance:
    """`loss` of predicting the same for every input; `text` says how it follows."""

    loss: float
    text: str


@once_per_run
def chance_level(run: Run) -> Chance | None:
    """The trivial predictor's training loss, or None."""
    calls = [c for c in run.facts.get("losses") or [] if isinstance(c, dict) and c.get("phase") == "train"]
    if len({(c.get("fn"), str(_outputs(c))) for c in calls}) > 1:
        return None  # a sum of different losses; and the targets' statistics mix those of all of them
    call = calls[0] if calls else None
    targets = run.facts.get("targets/train")
    if call is not None and isinstance(targets, dict):
        found = _from_call(call, targets)
        if found is None:
            return None
        scale = call.get("value_ratio")
        ratio = float(scale) if isinstance(scale, int | float) and math.isfinite(scale) and scale > 0 else 1.0
        return Chance(found.loss * ratio, found.text) if found.loss > 0 else None
    return _from_config(run)


def _outputs(call: Mapping[str, Any]) -> Any:
    """The sizes that a loss was given beyond the samples' number."""
    given = call.get("input")
    shape = given.get("shape") if isinstance(given, dict) else None
    return shape[1:] if isinstance(shape, list) else None


def _from_call(call: Mapping[str, Any], targets: Mapping[str, Any]) -> Chance | None:
    name = str(call.get("fn", "")).lower().replace("_", "")
    if call.get("class_weights") or call.get("reduction") == "sum":
        return None  # weights and batch size would have to be known
    if "binarycrossentropy" in name or "bce" in name:
        share = targets.get("mean")
        if isinstance(share, int | float) and 0 < share < 1:
            return Chance(_entropy([share, 1 - share]), f"the entropy of targets that are 1 in {share:.3g} of cases")
        return None
    if "crossentropy" in name or "nll" in name:
        counts = [float(n) for n in (targets.get("histogram") or {}).values() if n]
        if len(counts) > 1:
            return Chance(_entropy(counts), f"the entropy of {len(counts)} classes as they occur")
        classes = targets.get("classes")
        if isinstance(classes, int | float) and classes > 1:
            return Chance(math.log(classes), f"ln({classes:g})")
        return None
    spread = targets.get("std")
    if "mse" in name and isinstance(spread, int | float) and math.isfinite(spread):
        return Chance(float(spread) ** 2, "the variance of the targets")
    return None


def _from_config(run: Run) -> Chance | None:
    log = run.facts.get("log")
    config = log.get("config") if isinstance(log, dict) else None
    for key in CLASS_KEYS:
        classes = config.get(key) if isinstance(config, dict) else None
        if isinstance(classes, int | float) and math.isfinite(classes) and classes > 1:
            return Chance(math.log(classes), f"ln({key} {classes:g})")
    return None


def _entropy(weights: list[float]) -> float:
    total = sum(weights)
    return -sum(w / total * math.log(w / total) for w in weights if w > 0)


def chance_accuracy(run: Run) -> float | None:
    """The accuracy of always naming the commonest class."""
    targets = run.facts.get("targets/train")
    counts = list((targets.get("histogram") or {}).values()) if isinstance(targets, dict) else []
    if len(counts) > 1 and sum(counts) > 0:
        return float(max(counts) / sum(counts))
    return None
