"""Packs arrays for the page: little-endian, compressed, as base64.

Evenly spaced steps are stored as start and distance, others as 32-bit differences. Values are 32-bit floats. A long
series keeps only four decimal digits, which is more than a screen shows and halves the file.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any

import numpy as np

from ....record import Series
from ....record.types import FloatArray, IntArray

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).tiny)
LONG = 50_000  # points
FINE, COARSE, TABLE = 23, 13, 10  # bits of the mantissa: 7, 4 and 3 decimal digits


def packed(series: Series) -> dict[str, Any]:
    """`{"n", "steps", "values"}` of a series, sorted by step."""
    steps, values = series.steps, series.values
    if len(steps) > 1 and np.any(np.diff(steps) < 0):
        order = np.argsort(steps, kind="stable")
        steps, values = steps[order], values[order]
    digits = COARSE if len(values) > LONG else FINE
    return {"n": len(values), "steps": packed_steps(steps), "values": packed_values(values, digits)}


def packed_steps(steps: IntArray) -> dict[str, Any]:
    """`{"from", "by"}` of evenly spaced steps; else `{"from", "i32"}` with the differences."""
    if len(steps) == 0:
        return {"from": 0, "by": 1}
    gaps = np.diff(steps)
    if len(gaps) == 0 or (gaps == gaps[0]).all():
        return {"from": int(steps[0]), "by": int(gaps[0]) if len(gaps) else 1}
    return {"from": int(steps[0]), "i32": _text(np.clip(gaps, 0, 2**31 - 1).astype("<i4").tobytes())}


def packed_values(values: FloatArray, digits: int = FINE) -> str:
    """32-bit floats. Finite values stay finite, non-zero values stay non-zero, and NaN and Inf are kept."""
    finite, sign = np.isfinite(values), np.sign(values)
    held = np.where(finite, np.clip(values, -LARGEST, LARGEST), values)
    held = np.where(finite & (np.abs(held) < SMALLEST), sign * SMALLEST, held)
    bits = held.astype("<f4").view("<u4")
    if digits < FINE:
        cut = np.uint32(23 - digits)
        half = np.uint32(1) << (cut - np.uint32(1))
        rounded = np.where(finite, np.minimum(bits & 0x7FFFFFFF, 0x7F7FFFFF - half) + half, bits)
        bits = np.where(finite, (rounded >> cut << cut) | (bits & 0x80000000), bits).astype("<u4")
    return _text(bits.tobytes())


def _text(data: bytes) -> str:
    return b64encode(zlib.compress(data, 6)).decode("ascii")
