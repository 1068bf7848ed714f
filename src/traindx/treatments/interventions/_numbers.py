"""Checked lists of numbers from a record, which may hold anything."""

from __future__ import annotations

from typing import Any

from ...record.values import number


def numbers(values: Any) -> list[float]:
    """The values if all of them are finite numbers, else an empty list."""
    found = [number(value) for value in values] if isinstance(values, (list, tuple)) else []
    return [value for value in found if value is not None] if None not in found else []
