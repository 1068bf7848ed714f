"""Reads values of facts, which may be anything: returns the value, or None or an empty value if it has another type."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def number(value: Any) -> float | None:
    """Return a finite number, or None. True and False do not count as numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def index(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def entries(value: Any) -> list[Mapping[str, Any]]:
    """Return the mappings in a list; nothing if the value is not a list."""
    return [item for item in listed(value) if isinstance(item, Mapping)]


def texts(value: Any) -> list[str]:
    return [item for item in listed(value) if isinstance(item, str)]


def numbers(value: Any) -> list[float]:
    """Return the finite numbers in a list."""
    return [found for found in map(number, listed(value)) if found is not None]


def shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a tensor, or None if the value is not a list of sizes."""
    if not isinstance(value, (list, tuple)):
        return None
    sizes = [number(size) for size in value]
    return tuple(int(size) for size in sizes if size is not None) if None not in sizes else None


def histogram(value: Any) -> dict[str, float]:
    """Return the counts by class, without classes that never occurred."""
    counts = {str(name): number(found) or 0.0 for name, found in mapping(value).items()}
    return {name: found for name, found in counts.items() if found > 0}
