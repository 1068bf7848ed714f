"""Layers by steps as a map of colours: rows in the order of the network, input at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import LayerTable
from ...record.types import FloatArray, IntArray
from ...wording import clean
from ._lines import extent, unit_of
from ._subject import Subject

MOST_ROWS = 40  # more rows are thinned evenly
MOST_COLUMNS = 300
UNKNOWN = "#e3e5e8"  # not measured
WIDEST = 0.02  # share of the run that one sample may stand for on either side


@dataclass(frozen=True, eq=False)
class Map:
    """Rows are layers, columns steps."""

    steps: IntArray
    rows: list[str]
    values: FloatArray

    @classmethod
    def of(cls, table: LayerTable, layers: list[str], labels: list[str] | None = None) -> Map:
        """The chosen layers of a table, thinned to what can be seen."""
        keep = np.unique(np.linspace(0, len(layers) - 1, min(len(layers), MOST_ROWS)).astype(int))
        columns = np.unique(np.linspace(0, len(table.steps) - 1, min(len(table.steps), MOST_COLUMNS)).astype(int))
        chosen = np.array([table.layers.index(layers[i]) for i in keep])
        names = [(labels or layers)[i] for i in keep]
        return cls(table.steps[columns], names, table.values[np.ix_(columns, chosen)].T)

    @property
    def height(self) -> float:
        """Inches that let the names of the rows be read."""
        return 1.4 + 0.17 * max(6, len(self.rows))


def draw_map(axes: Any, shown: Map, subject: Subject, **mesh: Any) -> Any:
    """Draws the map and returns what a colour bar needs. What was not measured is grey."""
    first, last = extent([subject])
    edges, values = _with_gaps(shown, WIDEST * (last - first))
    axes.set_facecolor(UNKNOWN)
    drawn = axes.pcolormesh(
        edges, np.arange(len(shown.rows) + 1), np.ma.masked_invalid(values), rasterized=True, **mesh
    )
    axes.set_xlim(first, last)
    axes.set_ylim(len(shown.rows), 0)
    axes.set_yticks(np.arange(len(shown.rows)) + 0.5, [_short(clean(name)) for name in shown.rows], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(unit_of(subject.run))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.spines[:].set_visible(False)
    return drawn


def _with_gaps(shown: Map, widest: float) -> tuple[FloatArray, FloatArray]:
    """Cell borders and values. A sample stands for its surroundings, not for a long stretch without any."""
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


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else "…" + name[-most + 1 :]
