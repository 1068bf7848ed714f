"""A run that its script logged to `traindx.start`: the logged names get their meaning when the record is read.

Only then the whole curves are there to decide on: whether accuracies are in per cent, and which of several losses is
the total.
"""

from __future__ import annotations

import numpy as np

from ...record import Run, RunBuilder
from ...record.vocabulary import LOGGED
from ..options import Options
from .assembly import LogFacts, assemble
from .names import NamedSeries


def with_meaning(run: Run) -> Run:
    """Return the run with the record's names for what was logged. What else it holds is kept."""
    logged = {name.removeprefix(LOGGED): run.series(name) for name in run.series_names if name.startswith(LOGGED)}
    curves = {name: NamedSeries(name, series.steps, series.values) for name, series in logged.items()}
    read = assemble(curves, run.source, run.kind, Options(), LogFacts()) if curves else None
    builder = RunBuilder(run.source, run.kind)
    for source in (run, read) if read is not None else (run,):  # a gradient norm that the script logged comes first
        for name in source.series_names:
            if not name.startswith(LOGGED):
                builder.series(name, source.series(name).steps, source.series(name).values)
    for quantity in run.quantities:
        table = run.layers(quantity)
        builder.layers(quantity, table.steps, table.layers, table.values)
    for event in run.events:
        builder.event(event.kind, event.step, **event.data)
    facts = {**(read.facts if read is not None else {}), **run.facts}
    for key, value in facts.items():
        builder.fact(key, value)
    looks = [run.layers(quantity).steps for quantity in run.quantities]
    steps = facts.get("steps")
    if looks and isinstance(steps, int) and steps > 0:
        at = np.unique(np.concatenate(looks))
        until = min(1.0, (int(at[-1]) + 1) / steps)
        builder.fact("coverage", {"deep": {"looks": len(at), "first": int(at[0]), "last": int(at[-1]), "until": until}})
    return builder.build()
