"""What all excuses have in common."""

from __future__ import annotations

from .._base import Sign


def excuse(sign_id: str, level: float, holds: str, does_not: str) -> Sign:
    """`level`: how far it holds, 0 to 1."""
    return Sign(sign_id, float(level), float(level), holds if level >= 0.5 else does_not)
