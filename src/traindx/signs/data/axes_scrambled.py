"""Views whose sizes are the old ones in another order: a reshape where a transpose was needed mixes samples up.

Sizes of 1 can move without harm and are left out. 1 where the first (batch) axis moves; or where the targets of a
sequence, flattened, are its next tokens in another order than that of the scores.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._facts import entries, fact, facts, graphs, shape
from .._modules import modules
from .._words import grave, place

ID = "axes-scrambled"


def measure(run: Run) -> Sign | Missing:
    known = graphs(run)
    # The graph does not tell the script's views from torch's own: attention splits its heads by one.
    inside = any("Attention" in module.type for module in modules(run))
    views = [entry for graph in known for entry in entries(graph.get("view_permutes")) if not inside]
    for call in facts(run, "ops"):
        given = call.get("shapes_in")
        if call.get("op") == "view" and isinstance(given, list) and given:
            views.append({"from": given[0], "to": call.get("shape_out"), "site": call.get("site")})
    turned = fact(run, "shift_relation").get("targets_in_other_order") is True
    if not known and not views and not turned:
        return Missing(ID, "the graph behind the loss was not looked at")
    worst: tuple[float, str] = (0.0, "")
    if turned:
        worst = (1.0, "the targets are the next tokens, but come step by step where the scores come row by row")
    for entry in views:
        old, new = ([size for size in shape(entry.get(key)) or () if size != 1] for key in ("from", "to"))
        if len(old) < 2 or old == new or sorted(old) != sorted(new):
            continue
        level = 1.0 if old[0] != new[0] else 0.9
        words = (
            f"a view turns shape {entry.get('from')} into {entry.get('to')}{place(entry.get('site'))}: that keeps the "
            "order in memory and mixes up the axes"
        )
        worst = max(worst, (level, words))
    level, words = worst
    return Sign(
        ID,
        level,
        level,
        words if level else "no view only reorders sizes",
        onset=0 if level else None,
        severity=grave(level, "critical"),
    )
