"""Curves with a fault in them, and what a sign makes of one."""

from __future__ import annotations

import numpy as np
from healthy_curves import time

from traindx.record import RunBuilder
from traindx.signs import Sign, all_signs, measure_all

N = 400


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def noisy(curve: np.ndarray, share: float = 0.03, seed: int = 0) -> np.ndarray:
    return curve * (1 + share * rng(seed).standard_normal(len(curve)))


def learning(n: int = N) -> np.ndarray:
    return 0.5 + 2 * np.exp(-8 * time(n))


def measure(sign_id: str, builder: RunBuilder) -> Sign:
    result = all_signs()[sign_id].measure(builder.build())
    assert isinstance(result, Sign), result
    return result


def raised(sign_id: str, builder: RunBuilder, *severities: str) -> Sign:
    sign = measure(sign_id, builder)
    assert sign.raised, sign
    assert not severities or sign.severity in severities, sign
    return sign


def quiet(sign_id: str, builder: RunBuilder) -> None:
    """The sign, as diagnosis counts it, is missing or not raised."""
    assert (measure_all(builder.build()).level(sign_id) or 0.0) < 0.5
