"""Which way better lies where a name leaves it open: an objective, a log-likelihood, a bare `train` and `val`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...record.types import FloatArray
from .named_series import NamedSeries
from .names import bare_phase, tokens

_EITHER_WAY = frozenset({"elbo", "objective"})
FEWEST = 4  # points that show a direction


def maximised(curve: NamedSeries) -> bool:
    """A log-probability, or an objective that is negative throughout and climbs: its negative is the loss."""
    values = curve.values[np.isfinite(curve.values)]
    if not len(values) or values.max() > 0:
        return False
    return curve.role.gain or (bool(_EITHER_WAY & set(tokens(curve.name))) and _climb(values) > 0)


def of_no_use(curve: NamedSeries) -> bool:
    """Called a log-likelihood, yet with values that are none: whether it is the negative one cannot be told."""
    return curve.role.gain and not maximised(curve)


def bare_losses(curves: Mapping[str, NamedSeries]) -> list[NamedSeries]:
    """`train: 2.3 val: 2.4`, of what is not said: losses where both phases are there and all that is trained falls."""
    bare = [c for c in curves.values() if bare_phase(c.name) and np.isfinite(c.values).sum() >= FEWEST]
    trained = [c for c in bare if c.role.phase == "train"]
    falls = all(_climb(c.values[np.isfinite(c.values)]) < 0 for c in trained)
    return bare if trained and len(bare) > len(trained) and falls else []


def _climb(values: FloatArray) -> float:
    """From the first quarter to the last."""
    quarter = max(1, len(values) // 4)
    return float(np.median(values[-quarter:]) - np.median(values[:quarter])) if len(values) >= FEWEST else 0.0
