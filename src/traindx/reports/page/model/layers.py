"""Per-layer tables: one quantity by layer and look, with layers in forward order.

A *look* is a step at which every layer was measured. Looks are not evenly spaced (they are frequent at the start and
around problems), so the page draws one column per look and writes the steps below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....record import LayerTable, Run
from ....record.types import FloatArray, IntArray, evenly
from ..._charts import broken, in_order, log_range, weights
from .charts import TABLE, WORDS_OF, packed_steps, packed_values

QUANTITIES = WORDS_OF["layers"]
HEAT_MAPS = ("grad_norm", "update_ratio", "act_dead", "act_saturated", "act_std", "weight_norm")
MOST_ROWS = 400
MOST_SHOWN, MOST_LAYERS, MOST_BINS = 16, 100, 64  # of histograms: looks, layers, bins
MOST_LOOKS = 240
MOST_CELLS = 60_000  # of one quantity; keeps the file small for networks with hundreds of layers


def layers(run: Run) -> dict[str, Any] | None:
    tables = {key: run.layers(key) for key in QUANTITIES if run.layers(key)}
    quantities = [found for key, table in tables.items() if (found := _quantity(run, key, table))]
    if not quantities:
        return None
    return {
        "quantities": quantities,
        "maps": [q["key"] for q in quantities if q["key"] in HEAT_MAPS],
        "histograms": histograms(run),
        "types": {module.name: module.type for module in run.modules[: 4 * MOST_ROWS]},
        "weights": [*weights(run)][:MOST_ROWS],
    }


def _quantity(run: Run, key: str, table: LayerTable) -> dict[str, Any] | None:
    title, of, scale, reading = QUANTITIES[key]
    measured = [name for name in in_order(run, table, of) if not np.isnan(table.column(name)).all()]
    names = measured[:MOST_ROWS]
    if not names:
        return None
    values = table.values[:, [table.layers.index(name) for name in names]]
    if of == "parameter":
        values = np.where(broken(run, table, values), np.inf, values)
    steps, values = _complete(table.steps, values)
    looks = evenly(len(steps), max(1, min(MOST_LOOKS, MOST_CELLS // len(names))))
    steps, values = steps[looks], values[looks]
    low, high = _range(values, scale)
    return {
        "key": key,
        "title": title,
        "of": of,
        "scale": scale,
        "reading": reading,
        "names": names,
        "left_out": len(measured) - len(names),
        "looks": len(looks),
        "steps": packed_steps(steps),
        "values": packed_values(values.T.ravel(), TABLE),  # layer after layer
        "low": low,
        "high": high,
    }


def _range(values: FloatArray, scale: str) -> tuple[float, float]:
    """The ends of the colour scale."""
    if scale == "share":
        return 0.0, 1.0
    finite = values[np.isfinite(values)]
    if scale == "signed":
        most = float(np.abs(finite).max()) if len(finite) else 1.0
        return -most, most
    return log_range(finite)


def _complete(steps: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Merge neighbouring looks at different layers. Networks that step in turn are never measured at the same step."""
    kept: list[int] = []
    rows: list[FloatArray] = []
    for step, row in zip(steps.tolist(), values, strict=True):
        measured = ~np.isnan(row)
        if not measured.any():
            continue
        if rows and not (measured & ~np.isnan(rows[-1])).any():
            rows[-1] = np.where(measured, row, rows[-1])
        else:
            kept.append(step)
            rows.append(row)
    return np.array(kept, np.int64), np.stack(rows)


def histograms(run: Run) -> dict[str, list[dict[str, Any]]]:
    """The histograms of each layer's output by step, from the fact `activation_histograms`, which is checked."""
    found: dict[str, list[dict[str, Any]]] = {}
    for look in run.activation_histograms[:MOST_SHOWN]:
        step = look.step
        for layer in look.layers[:MOST_LAYERS]:
            low, high, counts = layer.low, layer.high, layer.counts
            usable = 0 < len(counts) <= MOST_BINS and min(counts) >= 0 and max(counts) > 0
            if step is not None and low is not None and high is not None and low <= high and usable:
                shown = {"step": step, "low": low, "high": high, "counts": list(counts)}
                found.setdefault(layer.name, []).append(shown)
    return {name: sorted(looks, key=lambda look: look["step"]) for name, looks in found.items()}
