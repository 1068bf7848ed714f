"""A heat map of layers by steps, with the input at the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import LayerTable
from ...record.types import FloatArray, IntArray
from ...wording import clean
from ._axes import extent, shortened, steps_below, unit_of
from ._subject import Subject

MOST_ROWS = 400  # of more rows, an even selection is shown
MOST_NAMES = 36
MOST_COLUMNS = 300
UNKNOWN = "#e3e5e8"  # not measured
WIDEST = 0.02  # on either side, a sample covers at most this share of the run
COVERED = 0.75  # if samples cover less of the run, each look gets one column of equal width
LONGEST = 44  # characters of a row's name


@dataclass(frozen=True, eq=False)
class Map:
    """Rows are layers, columns steps."""

    steps: IntArray
    rows: list[str]
    values: FloatArray

    @classmethod
    def of(cls, table: LayerTable, layers: list[str], labels: list[str] | None = None) -> Map:
        """The chosen layers at the steps where any of them was measured, thinned to what can be seen."""
        keep = np.unique(np.linspace(0, len(layers) - 1, min(len(layers), MOST_ROWS)).astype(int))
        chosen = np.array([table.layers.index(layers[i]) for i in keep])
        known = np.flatnonzero(~np.isnan(table.values[:, chosen]).all(axis=1))
        known = known if len(known) else np.arange(len(table.steps))
        columns = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_COLUMNS)).astype(int))]
        names = [(labels or layers)[i] for i in keep]
        return cls(table.steps[columns], names, table.values[np.ix_(columns, chosen)].T)

    @property
    def height(self) -> float:
        """The height in inches at which the names of the rows are readable."""
        return 1.3 + 0.16 * min(max(5, len(self.rows)), MOST_NAMES)


def draw_map(axes: Any, shown: Map, subject: Subject, **mesh: Any) -> Any:
    """Draw the map and return the mesh for a colour bar. Missing values are grey."""
    first, last = extent([subject])
    edges, values = _with_gaps(shown, WIDEST * (last - first))
    sparse = covered(edges, values) < COVERED * (last - first)
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


def covered(edges: FloatArray, values: FloatArray) -> float:
    """The number of steps that the samples cover."""
    return float(np.diff(edges)[~np.isnan(values).all(axis=0)].sum())


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
    shown = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), 12)).astype(int))
    axes.set_xlim(0, len(steps))
    axes.set_xticks(shown + 0.5, [f"{steps[i]:,}" for i in shown])
    axes.set_xlabel(f"{unit}: {len(steps)} looks, not to scale{between}" if len(steps) > 1 else unit)


def _name_rows(axes: Any, rows: Sequence[str]) -> None:
    """Label as many rows as are readable."""
    names = [clean(name) for name in rows]
    labelled = np.unique(np.linspace(0, len(names) - 1, min(len(names), MOST_NAMES)).astype(int))
    axes.set_yticks(labelled + 0.5, [shortened(names[i], LONGEST) for i in labelled], fontsize=7.5)
    axes.tick_params(axis="y", length=0)
