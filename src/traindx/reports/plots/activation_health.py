"""Dead and saturated units by layer over time; if neither was recorded, the spread of the activations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import LayerTable, Run
from ._axes import extent, finish, plain_decades, unit_of
from ._heat import Map, draw_map
from ._subject import Subject

TITLE = "Activation health"
ORDER = 60
HOW_TO_READ = "Share of units that are always zero (dead), or of outputs near their limit (saturated). Pale is healthy."
SPREAD = "Standard deviation of each layer's outputs: it should neither vanish nor grow with depth."
HOW_TO_READ_SEVERAL = "Mean over layers. Solid: units that are always zero (dead); dashed: outputs near their limit."
COLOUR_BAR = True
SHARES = {"act_dead": "dead", "act_saturated": "saturated"}


def has(run: Run) -> bool:
    return any(run.layers(quantity) for quantity in (*SHARES, "act_std"))


def height(subjects: Sequence[Subject]) -> float:
    return _map(subjects[0].run).height if len(subjects) == 1 else 3.0


def how_to_read(run: Run) -> str:
    return HOW_TO_READ if _shares(run) else SPREAD


def draw(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) > 1:
        _over_runs(axes, subjects)
        return
    run = subjects[0].run
    shown = _map(run)
    if _shares(run):
        drawn = draw_map(axes, shown, subjects[0], cmap="OrRd", vmin=0.0, vmax=1.0)
        bar = axes.figure.colorbar(drawn, cax=side, label="share of units", ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
    else:
        from matplotlib.colors import LogNorm

        present = shown.values[np.isfinite(shown.values) & (shown.values > 0)]
        low = float(present.min()) if len(present) else 1e-3
        high = max(float(present.max(initial=0.0)), low * 10)
        drawn = draw_map(axes, shown, subjects[0], cmap="viridis", norm=LogNorm(low, high))
        bar = axes.figure.colorbar(drawn, cax=side, label="standard deviation")
        plain_decades(bar.ax.yaxis, low, high)


def _over_runs(axes: Any, subjects: Sequence[Subject]) -> None:
    """Several runs: the mean share over all layers."""
    for subject in subjects:
        for quantity, table in _shares(subject.run).items():
            style = "-" if quantity == "act_dead" else "--"
            rows = np.isfinite(table.values).any(axis=1)
            means = 100 * np.nanmean(table.values[rows], axis=1)
            axes.plot(table.steps[rows], means, style, color=subject.colour, marker=".", markersize=3)
    axes.set_xlim(*extent(subjects))
    axes.set_ylim(-2, 102)
    finish(axes, "share of units, %", unit=unit_of(*(subject.run for subject in subjects)))


def _shares(run: Run) -> dict[str, LayerTable]:
    return {quantity: table for quantity in SHARES if (table := run.layers(quantity))}


def _map(run: Run) -> Map:
    """One row per layer and quantity, named after both."""
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
