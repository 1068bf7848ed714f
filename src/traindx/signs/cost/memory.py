"""Memory and graphs that grow from step to step."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Fact, Measured, Scale, Sign, Unless, place, ramp, sign
from .._grounds import ONE_WITNESS, said_by
from .._tables import ordered
from .time import backward_slowing, growth, step_time_growing

NOISE = 32 * 2**20


@sign("memory-growth", questions.TIME, "dynamics")
def memory_growth(run: Run) -> Measured | str:
    """Memory that grows all through the run, after the first fifth: how much against where it stood.

    Caches and allocators grow and level off; kept graphs grow for ever. So the growth must be steady, must last into
    the second half, and must reach at least 32 MB, below which the process's own noise lies.
    """
    found = growth(run, "memory", 0.2, fewest=6)
    if found is None:
        return "memory was not followed for long enough"
    added = found.last - found.first
    steady = ramp(found.order, 0.5, 0.9) if found.lasting and added > NOISE else 0.0
    level = ramp(found.ratio, 1.1, 1.6) * steady
    each = added / found.steps if found.steps > 0 else 0.0
    return Measured(
        found.ratio,
        f"memory went from {num(found.first / 2**20)} to {num(found.last / 2**20)} MB, {num(each / 1024)} kB per step",
        level,
        values={"first": found.first, "last": found.last, "per_step": each},
    )


@sign(
    "losses-kept",
    questions.TIME,
    "fault",
    Scale(5, 50, log=True),
    severity="warning",
    from_start=True,
    proof="A variable of the script refers to these tensors and, through them, to their graphs.",
    refuters=(Fact("A handful: a window of recent losses."),),
)
def losses_kept(run: Run) -> Measured | str:
    """Graphs of earlier steps that a variable of the script keeps alive: losses summed or listed with their graphs.

    A handful is a window of recent losses at worst; past fifty it grows with the run, or through each epoch.
    """
    if not run.series("graph_nodes"):
        return "the graph behind the loss was not looked at"
    hoard = run.hoard
    graphs = hoard.graphs
    if graphs is None:
        return Measured(0.0, "no variable keeps autograd graphs of earlier steps")
    freed = hoard.let_go is not None and said_by(memory_growth, run) is None
    return Measured(
        graphs,
        f"`{hoard.name or 'a variable'}` keeps {num(graphs)} autograd graphs of earlier steps alive{place(hoard.site)}",
        values={"graphs": graphs},
        unless=Unless(
            freed, "it lets go of them again, as at the end of an epoch, and memory stays level", ONE_WITNESS
        ),
    )


FEWEST = 12


def _costs(run: Run, _sign: Sign) -> str | None:
    costs = (backward_slowing, step_time_growing, memory_growth, losses_kept)
    return next((said for measured in costs if (said := said_by(measured, run))), None)


def _by_epochs(run: Run) -> float:
    """Growth from step to step that starts over now and then: hardly a step makes the graph smaller."""
    values = ordered(run.series("graph_nodes")).values
    changes = np.diff(values)
    changes = changes[changes != 0]
    if len(changes) < FEWEST:
        return 0.0
    return ramp(float(values.max() / max(values[0], 1.0)), 1.5, 3.0) * ramp(float((changes > 0).mean()), 0.8, 0.92)


@sign(
    "graph-growth",
    questions.TIME,
    "fault",
    from_start=True,
    witnesses=(
        Fact("The number of autograd nodes behind the loss grows all through the run, or through each epoch."),
        Fact("Time or memory grows with it, or a variable keeps the graphs.", _costs),
    ),
    refuters=(Fact("The number jumps about, as with sequences of varying length."),),
)
def graph_growth(run: Run) -> Measured | str:
    """The number of autograd nodes behind the loss, late against early.

    Sequences of varying length make it jump about; only a graph that is never cut grows all the way, or all the way
    until an epoch cuts it.
    """
    found = growth(run, "graph_nodes", 0.0)
    if found is None:
        return "the graph behind the loss was not counted often enough"
    steady = ramp(found.ratio, 1.2, 2.0) * ramp(found.order, 0.5, 0.9) * found.lasting
    level = max(steady, _by_epochs(run))
    return Measured(
        found.ratio,
        f"the autograd graph of the loss went from {num(found.first)} to {num(found.last)} nodes over {found.steps} "
        "steps",
        level,
        values={"first": found.first, "last": found.last},
    )
