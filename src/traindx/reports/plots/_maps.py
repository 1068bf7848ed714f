"""Heat maps of layers by steps, with the input at the top: the flow of gradients, and the health of activations. Of
several runs, a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import LayerTable, Run
from ...record.types import FloatArray, IntArray, evenly
from ...wording import clean
from .._charts import broken, log_range, weights
from ._axes import BROKEN, Subject, extent, finish, plain_decades, shortened, steps_below, unit_of

MOST_ROWS = 400  # of more rows, an even selection is shown
MOST_NAMES = 36
MOST_COLUMNS = 300
UNKNOWN = "#e3e5e8"  # not measured
WIDEST = 0.02  # on either side, a sample covers at most this share of the run
COVERED = 0.75  # if samples cover less of the run, each look gets one column of equal width
LONGEST = 44  # characters of a row's name
MOST_TICKS = 24  # layers named below the lines of several runs
SHARES = {"act_dead": "dead", "act_saturated": "saturated"}


@dataclass(frozen=True, eq=False)
class Map:
    """Rows are layers, columns steps."""

    steps: IntArray
    rows: list[str]
    values: FloatArray

    @classmethod
    def of(cls, table: LayerTable, layers: list[str], labels: list[str] | None = None) -> Map:
        """The chosen layers at the steps where any of them was measured, thinned to what can be seen."""
        keep = evenly(len(layers), MOST_ROWS)
        chosen = np.array([table.layers.index(layers[i]) for i in keep])
        known = np.flatnonzero(~np.isnan(table.values[:, chosen]).all(axis=1))
        known = known if len(known) else np.arange(len(table.steps))
        columns = known[evenly(len(known), MOST_COLUMNS)]
        names = [(labels or layers)[i] for i in keep]
        return cls(table.steps[columns], names, table.values[np.ix_(columns, chosen)].T)


def _draw_map(axes: Any, shown: Map, subject: Subject, **mesh: Any) -> Any:
    """Draw the map and return the mesh for a colour bar. Missing values are grey."""
    first, last = extent([subject])
    edges, values = _with_gaps(shown, WIDEST * (last - first))
    covered = np.diff(edges)[~np.isnan(values).all(axis=0)].sum()
    sparse = covered < COVERED * (last - first)
    if sparse:
        edges, values = np.arange(len(shown.steps) + 1, dtype=float), shown.values
    axes.set_facecolor(UNKNOWN)
    drawn = axes.pcolormesh(
        edges, np.arange(len(shown.rows) + 1), np.ma.masked_invalid(values), rasterized=True, **mesh
    )
    axes.set_ylim(len(shown.rows), 0)
    _name_rows(axes, shown.rows)
    axes.spines[:].set_visible(False)
    if sparse:
        _name_looks(axes, shown.steps, unit_of(subject.run))
    else:
        axes.set_xlim(first, last)
        steps_below(axes, unit_of(subject.run))
    return drawn


def _with_gaps(shown: Map, widest: float) -> tuple[FloatArray, FloatArray]:
    """Cell borders and values. A sample covers its neighbourhood, but not a long gap without samples."""
    steps = shown.steps.astype(float)
    middles = (steps[1:] + steps[:-1]) / 2
    left = np.maximum(steps - widest, np.concatenate([[steps[0] - 0.5], middles]))
    right = np.minimum(steps + widest, np.concatenate([middles, [steps[-1] + 0.5]]))
    edges, columns = [left[0]], []
    for i in range(len(steps)):
        if left[i] > edges[-1]:
            edges.append(left[i])
            columns.append(np.full(len(shown.rows), np.nan))
        edges.append(right[i])
        columns.append(shown.values[:, i])
    return np.array(edges), np.stack(columns, axis=1)


def _name_looks(axes: Any, steps: IntArray, unit: str) -> None:
    """Label the columns (one per look) with their steps, and draw a white line between looks that are far apart."""
    wide = np.flatnonzero(np.diff(steps) > max(1.0, 0.1 * np.ptp(steps)))
    for i in wide:
        axes.axvline(i + 1, color="white", linewidth=3, zorder=4)
    between = " (white: more than a tenth of the run lies between)" if len(wide) else ""
    shown = evenly(len(steps), 12)
    axes.set_xlim(0, len(steps))
    axes.set_xticks(shown + 0.5, [f"{steps[i]:,}" for i in shown])
    axes.set_xlabel(f"{unit}: {len(steps)} looks, not to scale{between}" if len(steps) > 1 else unit)


def _name_rows(axes: Any, rows: Sequence[str]) -> None:
    """Label as many rows as are readable."""
    names = [clean(name) for name in rows]
    labelled = evenly(len(names), MOST_NAMES)
    axes.set_yticks(labelled + 0.5, [shortened(names[i], LONGEST) for i in labelled], fontsize=7.5)
    axes.tick_params(axis="y", length=0)


def draw_flow(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) == 1:
        _flow_map(axes, side, subjects[0])
    else:
        _profiles(axes, subjects)


def draw_health(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) == 1:
        _activation_map(axes, side, subjects[0])
    else:
        _health_over_runs(axes, subjects)


def _flow_map(axes: Any, side: Any, subject: Subject) -> None:
    """The size of the gradient; exactly zero is black, NaN and Inf are red."""
    from matplotlib.colors import ListedColormap, LogNorm

    shown = _flow(subject.run)
    low, high = log_range(shown.values)
    positive = np.where(shown.values > 0, shown.values, np.nan)
    drawn = _draw_map(axes, Map(shown.steps, shown.rows, positive), subject, norm=LogNorm(low, high), cmap="viridis")
    whole = LayerTable("", shown.steps, tuple(shown.rows), shown.values.T)
    for mask, colour in ((shown.values == 0, "black"), (broken(subject.run, whole, whole.values).T, BROKEN)):
        if mask.any():
            marks = Map(shown.steps, shown.rows, np.where(mask, 1.0, np.nan))
            _draw_map(axes, marks, subject, cmap=ListedColormap([colour]), zorder=3)
    bar = axes.figure.colorbar(drawn, cax=side, label="gradient size (RMS)", extend="min")
    plain_decades(bar.ax.yaxis, low, high)


def _profiles(axes: Any, subjects: Sequence[Subject]) -> None:
    """The median size of the gradient by layer in the second half of each run."""
    names: set[tuple[str, ...]] = set()
    for subject in subjects:
        table, layers = _gradients(subject.run)
        half = table.values[len(table) // 2 :][:, [table.layers.index(name) for name in layers]]
        seen = [column[np.isfinite(column) & (column > 0)] for column in half.T]
        middles = np.array([np.median(column) if len(column) else np.nan for column in seen])
        names.add(tuple(shortened(clean(name), 24) for name in layers))
        style = {"color": subject.colour, "linestyle": subject.stroke, "linewidth": 1.5, "markersize": 4}
        axes.plot(np.arange(len(layers)), middles, marker="o", **style)
    axes.set_yscale("log")
    shared = next(iter(names)) if len(names) == 1 else ()
    if shared and len(shared) <= MOST_TICKS:
        axes.set_xticks(np.arange(len(shared)), shared, rotation=40, ha="right", fontsize=8)
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    finish(axes, "gradient size (RMS)", log=True, unit=None)
    axes.set_xlabel(f"layer{'' if shared else ' (by its number)'}, input → output")


def _activation_map(axes: Any, side: Any, subject: Subject) -> None:
    """Dead and saturated units; if neither was recorded, the spread of the activations."""
    shown = _activations(subject.run)
    if shares_of(subject.run):
        drawn = _draw_map(axes, shown, subject, cmap="OrRd", vmin=0.0, vmax=1.0)
        bar = axes.figure.colorbar(drawn, cax=side, label="share of units", ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
        return
    from matplotlib.colors import LogNorm

    low, high = log_range(shown.values)
    drawn = _draw_map(axes, shown, subject, cmap="viridis", norm=LogNorm(low, high))
    bar = axes.figure.colorbar(drawn, cax=side, label="standard deviation")
    plain_decades(bar.ax.yaxis, low, high)


def _health_over_runs(axes: Any, subjects: Sequence[Subject]) -> None:
    """The mean share over all layers of each run."""
    for subject in subjects:
        for quantity, table in shares_of(subject.run).items():
            style = "-" if quantity == "act_dead" else "--"
            rows = np.isfinite(table.values).any(axis=1)
            means = 100 * np.nanmean(table.values[rows], axis=1)
            axes.plot(table.steps[rows], means, style, color=subject.colour, marker=".", markersize=3)
    axes.set_xlim(*extent(subjects))
    axes.set_ylim(-2, 102)
    finish(axes, "share of units, %", unit=unit_of(*(subject.run for subject in subjects)))


def map_height(run: Run, *, flow: bool) -> float:
    """The height in inches at which the names of the rows are readable."""
    rows = (_flow if flow else _activations)(run).rows
    return 1.3 + 0.16 * min(max(5, len(rows)), MOST_NAMES)


def shares_of(run: Run) -> dict[str, LayerTable]:
    return {quantity: table for quantity in SHARES if (table := run.layers(quantity))}


def gradients_of(run: Run) -> LayerTable:
    return run.layers("grad_rms") or run.layers("grad_norm")


def _gradients(run: Run) -> tuple[LayerTable, list[str]]:
    """The table, and its weights in forward order; all parameters if the record does not know their kinds."""
    table = gradients_of(run)
    return table, [name for name in dict.fromkeys(weights(run)) if name in table.layers] or list(table.layers)


def _flow(run: Run) -> Map:
    table, layers = _gradients(run)
    types = {parameter.name: parameter.module for parameter in run.parameters}
    return Map.of(table, layers, [_label(name, types.get(name) or "") for name in layers])


def _label(name: str, module_type: str) -> str:
    """The layer of a weight; a bare number, as in `nn.Sequential`, gets the layer's type added."""
    layer = name.removesuffix(".weight")
    return f"{layer} {module_type}".strip() if layer.replace(".", "").isdigit() else layer


def _activations(run: Run) -> Map:
    """One row per layer and quantity, named after both."""
    shares = shares_of(run)
    if not shares:
        table = run.layers("act_std")
        return Map.of(table, list(table.layers))
    types = {module.name: module.type for module in run.modules}
    steps = np.unique(np.concatenate([table.steps for table in shares.values()]))
    columns: dict[str, FloatArray] = {}
    for quantity, table in shares.items():
        for layer in table.layers:
            column = np.full(len(steps), np.nan)
            column[np.searchsorted(steps, table.steps)] = table.column(layer)
            columns[f"{layer} {types.get(layer, '')}: {SHARES[quantity]}".replace(" :", ":")] = column
    names = list(columns)
    merged = LayerTable("activation health", steps, tuple(names), np.stack(list(columns.values()), axis=1))
    return Map.of(merged, names)
