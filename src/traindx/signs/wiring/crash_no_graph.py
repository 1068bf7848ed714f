"""Whether the script died because the loss has no graph behind it: torch's own words say so, 1 or 0."""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._facts import fact, text
from .._words import place

ID = "crash-no-graph"


def measure(run: Run) -> Sign | Missing:
    error = fact(run, "error")
    if not error and not isinstance(run.facts.get("exit"), str):
        return Missing(ID, "how the script ended is not known")
    message = text(error.get("message"))
    cut = "does not require grad" in message
    return Sign(
        ID,
        float(cut),
        float(cut),
        f"backward failed because no trainable weight is behind the loss{place(error.get('site'))}"
        if cut
        else "no backward pass failed for lack of a graph",
        onset=run.steps if cut else None,
        severity="critical" if cut else "info",
    )
