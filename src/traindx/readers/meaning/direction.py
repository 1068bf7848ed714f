"""Finds whether higher or lower is better where the name does not say: objectives, log-likelihoods, a bare `train`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...record.types import FloatArray
from .named_series import NamedSeries
from .names import bare_phase, tokens

_EITHER_WAY = frozenset({"elbo", "objective"})
FEWEST = 4  # points that show a direction


def maximised(curve: NamedSeries) -> bool:
    """Return whether the negative of the curve is the loss: a log-probability, or a negative objective that rises."""
    values = curve.values[np.isfinite(curve.values)]
    if not len(values) or values.max() > 0:
        return False
    return curve.role.gain or (bool(_EITHER_WAY & set(tokens(curve.name))) and _rise(values) > 0)


def of_unknown_sign(curve: NamedSeries) -> bool:
    """Return whether the name says log-likelihood but the values are positive: it may be negated or not."""
    return curve.role.gain and not maximised(curve)


def bare_losses(curves: Mapping[str, NamedSeries]) -> list[NamedSeries]:
    """Return columns called just `train` and `val`, if both are there and the values of `train` decrease."""
    bare = [c for c in curves.values() if bare_phase(c.name) and np.isfinite(c.values).sum() >= FEWEST]
    trained = [c for c in bare if c.role.phase == "train"]
    falls = all(_rise(c.values[np.isfinite(c.values)]) < 0 for c in trained)
    return bare if trained and len(bare) > len(trained) and falls else []


def _rise(values: FloatArray) -> float:
    """Return the change of the median from the first quarter to the last."""
    quarter = max(1, len(values) // 4)
    return float(np.median(values[-quarter:]) - np.median(values[:quarter])) if len(values) >= FEWEST else 0.0
