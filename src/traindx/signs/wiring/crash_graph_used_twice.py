"""Whether the script died because a backward met the freed graph of an earlier step: torch says so itself, 1 or 0."""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._facts import fact, text
from .._words import place

ID = "crash-graph-used-twice"


def measure(run: Run) -> Sign | Missing:
    error = fact(run, "error")
    if not error and not isinstance(run.facts.get("exit"), str):
        return Missing(ID, "how the script ended is not known")
    twice = "backward through the graph a second time" in text(error.get("message"))
    return Sign(
        ID,
        float(twice),
        float(twice),
        f"backward failed because something of an earlier step, whose graph is gone, is behind this loss"
        f"{place(error.get('site'))}"
        if twice
        else "no backward pass met the graph of an earlier one",
        onset=run.steps if twice else None,
        severity="critical" if twice else "info",
    )
