"""Per-layer tables: one quantity by layer and look, with layers in forward order.

A *look* is a step at which every layer was measured. Looks are not evenly spaced (they are frequent at the start and
around problems), so the page draws one column per look and writes the steps below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....record import LayerTable, Run
from ....record.types import FloatArray, IntArray
from .arrays import TABLE, packed_steps, packed_values
from .histograms import histograms

# key: title, what one column of the table is, kind of scale, how to read it
QUANTITIES = {
    "grad_norm": ("Gradient norm", "parameter", "log", "Dark rows get little gradient."),
    "update_ratio": ("Update/weight ratio", "parameter", "log", "About 0.001 is typical; 0.1 rewrites the weights."),
    "act_dead": ("Dead units", "module", "share", "Share of units that were zero for every sample so far."),
    "act_saturated": ("Saturated units", "module", "share", "Share of outputs within 3 % of a limit."),
    "act_std": ("Activation spread", "module", "log", "Standard deviation of each layer's output."),
    "weight_norm": ("Weight norm", "parameter", "log", "How large the weights are."),
    "act_mean": ("Activation mean", "module", "signed", "Mean of each layer's output."),
    "grad_rms": ("Gradient size (RMS)", "parameter", "log", "Comparable between layers of different sizes."),
}
HEAT_MAPS = ("grad_norm", "update_ratio", "act_dead", "act_saturated", "act_std", "weight_norm")
MOST_ROWS = 400
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
        "weights": [p.name for p in run.parameters if p.kind in ("weight", "embedding")][:MOST_ROWS],
    }


def _quantity(run: Run, key: str, table: LayerTable) -> dict[str, Any] | None:
    title, of, scale, reading = QUANTITIES[key]
    measured = [name for name in _in_order(run, table, of) if not np.isnan(table.column(name)).all()]
    names = measured[:MOST_ROWS]
    if not names:
        return None
    values = table.values[:, [table.layers.index(name) for name in names]]
    if of == "parameter":
        values = np.where(_broken(run, table, values), np.inf, values)
    steps, values = _complete(table.steps, values)
    looks = _chosen(len(steps), min(MOST_LOOKS, MOST_CELLS // max(1, len(names))))
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


def _in_order(run: Run, table: LayerTable, of: str) -> list[str]:
    """The layers in forward order; layers whose place is unknown come last."""
    ordered = [p.name for p in run.parameters] if of == "parameter" else [m.name for m in run.modules]
    known = [name for name in dict.fromkeys(ordered) if name in table.layers]
    return [*known, *(name for name in table.layers if name not in set(known))]


def _chosen(count: int, most: int) -> list[int]:
    return sorted(set(np.linspace(0, count - 1, min(count, max(1, most))).astype(int).tolist()))


def _range(values: FloatArray, scale: str) -> tuple[float, float]:
    """The ends of the colour scale."""
    if scale == "share":
        return 0.0, 1.0
    finite = values[np.isfinite(values)]
    if scale == "signed":
        most = float(np.abs(finite).max()) if len(finite) else 1.0
        return -most, most
    present = finite[finite > 0]
    if not len(present):
        return 1e-8, 1.0
    low, high = float(np.quantile(present, 0.01)), float(present.max())
    return min(low, high / 10), high


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


def _broken(run: Run, table: LayerTable, values: FloatArray) -> NDArray[np.bool_]:
    """Where values are infinite, or missing at a step at which the run reported a non-finite gradient or loss."""
    reported = {event.step for kind in ("nonfinite-gradient", "nonfinite-loss") for event in run.events_of(kind)}
    at = np.array([step in reported for step in table.steps.tolist()], bool)
    return np.asarray(np.isinf(values) | (np.isnan(values) & at[:, None]))
