"""Reads the curves of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....record.types import Series
from ..problem import Problem
from ._numbers import extremes, listed
from ._opening import open_run

MOST_SERIES = 12
MOST_NAMES = 300


def read(path: str, names: list[str], points: int) -> dict[str, Any]:
    run = open_run(path)
    available = list(run.series_names)
    unknown = [name for name in names if name not in available]
    if unknown:
        raise Problem(f"there is no series {unknown[0]!r} in {path}; it has {', '.join(available[:40]) or 'none'}")
    wanted = names or [name for name in available if name.startswith(("loss/", "lr"))] or available
    return {
        "source": path,
        "kind": run.kind,
        "steps": int(run.steps),
        "step_unit": run.step_unit,
        "available": available[:MOST_NAMES],
        "series": [_told(run.series(name), points) for name in wanted[:MOST_SERIES]],
    }


def _told(series: Series, points: int) -> dict[str, Any]:
    kept = extremes(series.values, points)
    finite = series.finite
    return {
        "name": series.name,
        "recorded_points": len(series),
        "nonfinite_points": len(series) - len(finite),
        "minimum": _at(finite, np.argmin),
        "maximum": _at(finite, np.argmax),
        "steps": [int(step) for step in series.steps[kept]],
        "values": listed(series.values[kept]),
    }


def _at(series: Series, which: Any) -> dict[str, Any] | None:
    if not series:
        return None
    place = int(which(series.values))
    return {"step": int(series.steps[place]), "value": listed(series.values[place : place + 1])[0]}
