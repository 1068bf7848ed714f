"""Graphs of earlier steps that a variable of the script keeps alive: losses summed or listed with their graphs.

A handful is a window of recent losses at worst; past fifty it grows with the run.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number, text
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "losses-kept"
QUESTION = questions.TIME
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    if not run.series("graph_nodes"):
        return Missing(ID, "the graph behind the loss was not looked at")
    hoard = run.fact("hoard")
    graphs = number(hoard.get("graphs"))
    if graphs is None:
        return Sign(ID, 0.0, 0.0, "no variable keeps autograd graphs of earlier steps")
    level = ramp(graphs, 5, 50, log=True)
    return Sign(
        ID,
        graphs,
        level,
        f"`{text(hoard.get('name')) or 'a variable'}` keeps {num(graphs)} autograd graphs of earlier steps alive"
        f"{place(hoard.get('site'))}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"graphs": graphs},
    )
