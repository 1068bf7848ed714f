"""Normalises names and values of settings, so that equal settings from different sources compare as equal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .types import Value

LONGEST = 60
DEEPEST = 4
MOST = 400  # entries of a configuration; further ones are left out
# Different tools have different names for a setting. One name makes their runs comparable.
ALIASES = {
    "learning_rate": "lr", "learningrate": "lr", "lr0": "lr", "base_lr": "lr",
    "bs": "batch_size", "batch": "batch_size", "batchsize": "batch_size", "train_batch_size": "batch_size",
    "per_device_train_batch_size": "batch_size",
    "wd": "weight_decay", "weightdecay": "weight_decay", "optim": "optimizer", "opt": "optimizer", "act": "activation",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


def canonical(name: str) -> str:
    """Return the common name of a setting.

    >>> canonical("--learning-rate")
    'lr'
    """
    plain = name.strip().strip("-").replace("-", "_").replace(" ", "_")
    return ALIASES.get(plain.lower(), plain)


def plain_value(value: Any) -> Value | None:
    """Return a value that can be compared and shown; None if it is empty or too long for a setting."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(plain_value(item)) for item in value[:9])
    text = str(value).strip().strip("'\"")
    if _NUMBER.match(text):
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 1e15 and not re.search(r"[.eE]", text) else number
    words: dict[str, Value | None] = {"true": True, "false": False, "none": None, "null": None, "": None, "~": None}
    if text.lower() in words:
        return words[text.lower()]
    return text if len(text) <= LONGEST else None


def flat(config: Mapping[Any, Any]) -> dict[str, Value]:
    """Flatten a nested configuration to settings with dotted names."""
    found: dict[str, Value] = {}
    for name, value in _leaves(config, DEEPEST):
        plain = plain_value(value)
        if plain is not None and len(found) < MOST:
            found.setdefault(canonical(name), plain)
    return found


def _leaves(config: Mapping[Any, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if not isinstance(value, Mapping):
            yield str(key), value
        elif set(value) <= {"desc", "value"} and "value" in value:  # as W&B writes its config.yaml
            yield str(key), value["value"]
        elif depth:
            for inner, leaf in _leaves(value, depth - 1):
                yield f"{key}.{inner}", leaf


def is_number(value: Value | None) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shown(value: Value | None) -> str:
    """Format a value for a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
