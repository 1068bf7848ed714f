"""The training data: classes, feature scales, statistics of batches, and outlier batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....record import Run, Series
from ....record.data import Numbers
from ....wording import num
from .charts import WORDS_OF, packed

MOST_CLASSES = 40
MOST_FEATURES = 64
MOST_OUTLIERS = 8
FAR = 8.0  # robust deviations from the median
ROWS = WORDS_OF["rows"]
SETS = WORDS_OF["sets"]
SERIES = WORDS_OF["series"]


def data(run: Run) -> dict[str, Any] | None:
    sets = {words: facts for name, words in SETS.items() if (facts := getattr(run, name))}
    series = [
        {"name": name, "label": words, **packed(run.series(name))}
        for name, words in SERIES.items()
        if run.series(name).finite and _varies(run.series(name))
    ]
    if not sets and not series:
        return None
    return {
        "classes": _classes(run),
        "features": _features(run),
        "table": _table(sets),
        "series": series,
        "outliers": _outliers(run),
    }


def _table(sets: Mapping[str, Numbers]) -> dict[str, Any]:
    rows = [[words, *(_shown(getattr(facts, key, None)) for facts in sets.values())] for key, words in ROWS.items()]
    return {"columns": list(sets), "rows": [row for row in rows if any(row[1:])]}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " × ".join(_shown(part) for part in value)
    if isinstance(value, float):
        return num(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _classes(run: Run) -> dict[str, Any] | None:
    """The share of each class among the training targets and among the predictions, most common first."""
    found, predicted = run.training_targets.histogram, run.training_targets.predictions
    if len(found) < 2:
        return None
    order = sorted(found, key=lambda name: -found[name])
    rows = [[name, _share(found, name), _share(predicted, name)] for name in order[:MOST_CLASSES]]
    return {"rows": rows, "left_out": max(0, len(order) - MOST_CLASSES), "predicted": bool(predicted)}


def _share(counts: Mapping[str, float], name: str) -> float:
    return counts.get(name, 0.0) / (sum(counts.values()) or 1.0)


def _features(run: Run) -> dict[str, Any] | None:
    spreads, means = list(run.training_data.feature_std), list(run.training_data.feature_mean)
    if len(spreads) < 2:
        return None
    return {"std": spreads[:MOST_FEATURES], "mean": means[:MOST_FEATURES] if len(means) == len(spreads) else []}


def _outliers(run: Run) -> list[dict[str, Any]]:
    """Batches whose largest input or target is far from the median, and batches with NaN or Inf."""
    found = [
        {"step": int(event.step), "text": "The batch holds NaN or Inf."}
        for event in run.events_of("nonfinite-batch")
        if event.step is not None
    ]
    for name, what in (("input_max", "Largest input"), ("target_max", "Largest target")):
        series = run.series(name).finite
        if len(series) < 8:
            continue
        middle = float(np.median(series.values))
        spread = 1.4826 * float(np.median(np.abs(series.values - middle)))
        far = np.flatnonzero(np.abs(series.values - middle) > FAR * max(spread, 0.05 * abs(middle), 1e-12))
        found += [
            {"step": int(series.steps[i]), "text": f"{what} is {num(series.values[i])}; {num(middle)} is usual."}
            for i in far
        ]
    return sorted(found, key=lambda entry: int(str(entry["step"])))[:MOST_OUTLIERS]


def _varies(series: Series) -> bool:
    values = series.finite.values
    return len(values) > 1 and bool(np.ptp(values) > 0)
