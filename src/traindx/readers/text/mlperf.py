"""Lines of MLPerf's logger: `:::MLL 1600000000.123 eval_loss: {"value": 2.8, "metadata": {"epoch_num": 3}}`."""

from __future__ import annotations

import json
import re
from typing import Any

from ..meaning.names import role_of
from ..rows.collector import number, numbers_in
from .phrases import Said

MARK = ":::ML"
_LINE = re.compile(r":::ML[A-Za-z0-9-]*\s+(?:[\d.]+\s+)?(?:([\w/-]+):\s*)?(\{.*\})")
_MEASURED = frozenset(("loss", "perplexity", "accuracy", "lr", "grad_norm", "loss_scale"))


def said_by_mlperf(line: str) -> Said | None:
    """Return what the line says, or None if it holds no measurement."""
    found = _LINE.search(line)
    if found is None:
        return None
    try:
        content = json.loads(found[2])
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    key, value = found[1] or str(content.get("key", "")), content.get("value")
    values = numbers_in(value) if isinstance(value, dict) else {key: value}
    measured = {
        name if name == key else f"{key}/{name}": x
        for name, cell in values.items()
        if (x := number(cell)) is not None and role_of(name).kind in _MEASURED and not key.startswith("opt_")
    }
    if not measured:
        return None
    return Said({**measured, **_place(content.get("metadata"))}, places=None)


def _place(metadata: Any) -> dict[str, float]:
    """Return the step and the epoch among the metadata, under the names `step` and `epoch`."""
    found: dict[str, float] = {}
    for name, cell in metadata.items() if isinstance(metadata, dict) else ():
        x = number(cell)
        if x is None:
            continue
        if name in ("epoch", "epoch_num", "current_epoch"):
            found["epoch"] = x
        elif name in ("step", "step_num", "iteration", "iter", "global_step", "current_iter_num"):
            found["step"] = x
    return found
