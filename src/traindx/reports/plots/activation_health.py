"""Which activations are dead or saturated, by layer over time; else how widely the activations spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import LayerTable, Run
from ._heat import Map, draw_map
from ._lines import extent, finish, legend, unit_of
from ._subject import Subject

TITLE = "Activation health"
ORDER = 60
HOW_TO_READ = "Share of units that are always zero (dead) or outputs near their limit (saturated). Pale is healthy."
SHARES = {"act_dead": "dead", "act_saturated": "saturated"}


def has(run: Run) -> bool:
    return any(run.layers(quantity) for quantity in (*SHARES, "act_std"))


def height(subjects: Sequence[Subject]) -> float:
    return _map(subjects[0].run).height if len(subjects) == 1 else 3.0


def draw(figure: Any, subjects: Sequence[Subject]) -> None:
    axes = figure.subplots()
    if len(subjects) > 1:
        _over_runs(axes, subjects)
        return
    run = subjects[0].run
    shown = _map(run)
    if _shares(run):
        drawn = draw_map(axes, shown, subjects[0], cmap="OrRd", vmin=0.0, vmax=1.0)
        bar = figure.colorbar(drawn, ax=axes, pad=0.01, label="share of units", ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0 % healthy", "25 %", "50 %", "75 %", "100 % lost"])
    else:
        from matplotlib.colors import LogNorm

        present = shown.values[np.isfinite(shown.values) & (shown.values > 0)]
        norm = LogNorm(present.min(), max(present.max(), present.min() * 10)) if len(present) else None
        drawn = draw_map(axes, shown, subjects[0], cmap="viridis", norm=norm)
        figure.colorbar(drawn, ax=axes, pad=0.01, label="spread of the outputs (standard deviation)")
    axes.set_ylabel("input  →  output", rotation=270, labelpad=12)


def _over_runs(axes: Any, subjects: Sequence[Subject]) -> None:
    """Several runs: the mean share over all layers."""
    for subject in subjects:
        for quantity, table in _shares(subject.run).items():
            style = "-" if quantity == "act_dead" else "--"
            rows = np.isfinite(table.values).any(axis=1)
            means = 100 * np.nanmean(table.values[rows], axis=1)
            axes.plot(
                table.steps[rows], means, style, color=subject.colour, label=f"{subject.name}: {SHARES[quantity]}"
            )
    axes.set_xlim(*extent(subjects))
    axes.set_ylim(-2, 102)
    finish(axes, "units lost, %, mean over layers", xlabel=unit_of(subjects[0].run))
    legend(axes)


def _shares(run: Run) -> dict[str, LayerTable]:
    return {quantity: table for quantity in SHARES if (table := run.layers(quantity))}


def _map(run: Run) -> Map:
    """One row a layer, named with what is shown of it."""
    shares = _shares(run)
    types = {module.name: module.type for module in run.modules}
    if not shares:
        table = run.layers("act_std")
        return Map.of(table, list(table.layers))
    steps = np.unique(np.concatenate([table.steps for table in shares.values()]))
    names, columns = [], []
    for quantity, table in shares.items():
        places = np.searchsorted(steps, table.steps)
        for layer in table.layers:
            column = np.full(len(steps), np.nan)
            column[places] = table.column(layer)
            columns.append(column)
            names.append(f"{layer} {types.get(layer, '')}: {SHARES[quantity]}".replace(" :", ":"))
    merged = LayerTable("activation health", steps, tuple(names), np.stack(columns, axis=1))
    return Map.of(merged, names)
