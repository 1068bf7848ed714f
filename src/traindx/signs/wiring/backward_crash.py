"""Scripts that died in a backward pass for a reason that torch's own message gives."""

from __future__ import annotations

from ...record import Run
from ...record.values import text
from .. import questions
from .._base import Missing, Sign, SignUnit, place

USED_TWICE, NO_GRAPH = "crash-graph-used-twice", "crash-no-graph"


def used_twice(run: Run) -> Sign | Missing:
    """Whether the script died because a backward met the freed graph of an earlier step: torch says so itself, 1 or
    0."""
    return _died_saying(
        run,
        USED_TWICE,
        "backward through the graph a second time",
        "the loss depends on a tensor of an earlier step, whose graph was freed",
        "no backward pass used the graph of an earlier step",
    )


def no_graph(run: Run) -> Sign | Missing:
    """Whether the script died because the loss has no graph behind it: torch's own words say so, 1 or 0."""
    return _died_saying(
        run,
        NO_GRAPH,
        "does not require grad",
        "the loss depends on no trainable weight",
        "no backward pass failed for a missing graph",
    )


def _died_saying(run: Run, sign_id: str, words: str, reason: str, otherwise: str) -> Sign | Missing:
    """1 where the error that ended the script holds these words, 0 where it ended otherwise."""
    error = run.fact("error")
    if not error and not isinstance(run.facts.get("exit"), str):
        return Missing(sign_id, "how the script ended is not known")
    said = words in text(error.get("message"))
    return Sign(
        sign_id,
        float(said),
        float(said),
        f"backward failed because {reason}{place(error.get('site'))}" if said else otherwise,
        onset=run.steps if said else None,
        severity="critical" if said else "info",
    )


SIGNS = (
    SignUnit(USED_TWICE, used_twice, questions.TIME, "fault"),
    SignUnit(NO_GRAPH, no_graph, questions.PARAMETERS, "fault", rival=("update", 4.0)),
)
