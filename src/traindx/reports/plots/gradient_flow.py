"""Gradient size by layer: whether it reaches the layers near the input, and whether it stays finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...record import LayerTable, Run
from ...record.types import FloatArray
from ...wording import clean
from ._axes import finish, plain_decades, shortened
from ._heat import Map, draw_map
from ._subject import BROKEN, Subject

TITLE = "Gradient flow by layer"
ORDER = 50
HOW_TO_READ = "Input at the top, output at the bottom. Dark rows learn little; red: NaN or Inf; black: exactly zero."
HOW_TO_READ_SEVERAL = "The typical size by layer in the second half of each run, from the input (left) to the output."
MOST_NAMES = 24
COLOUR_BAR = True


def has(run: Run) -> bool:
    return bool(_table(run))


def height(subjects: Sequence[Subject]) -> float:
    return _map(subjects[0].run).height if len(subjects) == 1 else 3.2


def draw(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) == 1:
        _over_time(axes, side, subjects[0])
    else:
        _profiles(axes, subjects)


def _over_time(axes: Any, side: Any, subject: Subject) -> None:
    from matplotlib.colors import ListedColormap, LogNorm

    shown = _map(subject.run)
    present = shown.values[np.isfinite(shown.values) & (shown.values > 0)]
    low, high = (float(np.quantile(present, 0.01)), float(present.max())) if len(present) else (1e-8, 1.0)
    norm = LogNorm(min(low, high / 10), high)
    positive = Map(shown.steps, shown.rows, np.where(shown.values > 0, shown.values, np.nan))
    drawn = draw_map(axes, positive, subject, norm=norm, cmap="viridis")
    zero = np.where(shown.values == 0, 1.0, np.nan)
    broken = np.where(_broken(subject.run, shown), 1.0, np.nan)
    for mask, colour in ((zero, "black"), (broken, BROKEN)):
        if np.isfinite(mask).any():
            draw_map(axes, Map(shown.steps, shown.rows, mask), subject, cmap=ListedColormap([colour]), zorder=3)
    bar = axes.figure.colorbar(drawn, cax=side, label="gradient size (RMS)", extend="min")
    plain_decades(bar.ax.yaxis, min(low, high / 10), high)


def _profiles(axes: Any, subjects: Sequence[Subject]) -> None:
    """Several runs: the median size by layer in the second half of each run."""
    names: set[tuple[str, ...]] = set()
    for subject in subjects:
        table = _table(subject.run)
        layers = _layers(subject.run, table)
        half = table.values[len(table) // 2 :][:, [table.layers.index(name) for name in layers]]
        names.add(tuple(shortened(clean(name), 24) for name in layers))
        axes.plot(
            np.arange(len(layers)),
            _middle(half),
            marker="o",
            color=subject.colour,
            linestyle=subject.stroke,
            linewidth=1.5,
            markersize=4,
        )
    axes.set_yscale("log")
    shared = next(iter(names)) if len(names) == 1 else ()
    if shared and len(shared) <= MOST_NAMES:
        axes.set_xticks(np.arange(len(shared)), shared, rotation=40, ha="right", fontsize=8)
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    finish(axes, "gradient size (RMS)", log=True, unit=None)
    axes.set_xlabel(f"layer{'' if shared else ' (by its number)'}, input → output")


def _middle(values: FloatArray) -> FloatArray:
    """The median of each column's finite positive values; NaN if there are none."""
    columns = [column[np.isfinite(column) & (column > 0)] for column in values.T]
    return np.array([np.median(column) if len(column) else np.nan for column in columns])


def _table(run: Run) -> LayerTable:
    return run.layers("grad_rms") or run.layers("grad_norm")


def _layers(run: Run, table: LayerTable) -> list[str]:
    """The weights in forward order; all parameters if the record does not know their kinds."""
    weights = [parameter.name for parameter in run.parameters if parameter.kind in ("weight", "embedding")]
    return [name for name in dict.fromkeys(weights) if name in table.layers] or list(table.layers)


def _map(run: Run) -> Map:
    table = _table(run)
    layers = _layers(run, table)
    types = {parameter.name: parameter.module for parameter in run.parameters}
    return Map.of(table, layers, [_label(name, types.get(name) or "") for name in layers])


def _label(name: str, module_type: str) -> str:
    """The layer of a weight; a bare number, as in `nn.Sequential`, gets the layer's type added."""
    layer = name.removesuffix(".weight")
    return f"{layer} {module_type}".strip() if layer.replace(".", "").isdigit() else layer


def _broken(run: Run, shown: Map) -> NDArray[np.bool_]:
    """Where gradients are infinite, or missing at a step at which the run reported a non-finite gradient or loss."""
    reported = {event.step for kind in ("nonfinite-gradient", "nonfinite-loss") for event in run.events_of(kind)}
    at = np.array([step in reported for step in shown.steps.tolist()], bool)
    return np.asarray(np.isinf(shown.values) | (np.isnan(shown.values) & at[None, :]))
