"""The per-layer tables of a record: gradient norms, update ratios, dead units …"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Problem
from ._numbers import listed
from ._opening import open_run

MOST_LAYERS = 80


def read(path: str, quantity: str, layers: list[str], rows: int) -> dict[str, Any]:
    run = open_run(path)
    tables = [run.layers(name) for name in run.quantities]
    available = [{"quantity": t.quantity, "layers": len(t.layers), "looks": len(t)} for t in tables]
    if not available:
        raise Problem(f"{path} has no per-layer tables; only records of observed scripts have them: use the tool run")
    if not quantity:
        return {"source": path, "available": available}
    if quantity not in run.quantities:
        known = ", ".join(t.quantity for t in tables)
        raise Problem(f"there is no per-layer quantity {quantity!r} in {path}; it has {known}")
    table = run.layers(quantity)
    unknown = [name for name in layers if name not in table.layers]
    if unknown:
        raise Problem(f"there is no layer {unknown[0]!r}; the layers are {', '.join(table.layers[:60])}")
    shown = layers or list(table.layers)
    kept = np.unique(np.linspace(0, len(table) - 1, min(rows, len(table))).round().astype(int))
    return {
        "source": path,
        "available": available,
        "quantity": quantity,
        "steps": [int(step) for step in table.steps[kept]],
        "layers": [{"name": name, "values": listed(table.column(name)[kept])} for name in shown[:MOST_LAYERS]],
        "layers_left_out": max(0, len(shown) - MOST_LAYERS),
    }
