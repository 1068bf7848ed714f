"""Layers by steps as a map of colours: rows in the order of the network, input at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...record import LayerTable, Run
from ...record.types import FloatArray, IntArray
from ._lines import unit_of

MOST_ROWS = 40  # more rows are thinned evenly
MOST_COLUMNS = 300
UNKNOWN = "#e3e5e8"  # not measured


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
        chosen = [table.layers.index(layers[i]) for i in keep]
        names = [(labels or layers)[i] for i in keep]
        return cls(table.steps[columns], names, table.values[np.ix_(columns, chosen)].T)

    @property
    def height(self) -> float:
        """Inches that let the names of the rows be read."""
        return 1.4 + 0.17 * max(6, len(self.rows))


def draw_map(axes: Any, shown: Map, run: Run, **mesh: Any) -> Any:
    """Draws the map and returns what a colour bar needs. What was not measured is grey."""
    steps = shown.steps.astype(float)
    middles = (steps[1:] + steps[:-1]) / 2
    ends = [steps[0] - 0.5, steps[-1] + 0.5]
    edges = np.concatenate([ends[:1], middles, ends[1:]])
    axes.set_facecolor(UNKNOWN)
    drawn = axes.pcolormesh(
        edges, np.arange(len(shown.rows) + 1), np.ma.masked_invalid(shown.values), rasterized=True, **mesh
    )
    axes.invert_yaxis()
    axes.set_yticks(np.arange(len(shown.rows)) + 0.5, [_short(name) for name in shown.rows], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(unit_of(run))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.spines[:].set_visible(False)
    return drawn


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else "…" + name[-most + 1 :]
