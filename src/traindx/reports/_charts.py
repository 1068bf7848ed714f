"""What of a run is drawn, for the page and for still pictures: the curves of each chart, and the layers of each map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..record import LayerTable, Run, Series
from ..record.types import FloatArray, IntArray
from ..signs.curve import curve_of
from ..wording import clean

DECADES = 10.0  # values that span more than this ratio are drawn on a log scale
MOST_LINES = 8  # numbered ones of a chart
MOST_RATES = 6
SAME_RATE = 0.02  # parameter groups whose rates differ by less are drawn once
LABELS = {
    "loss/train": "Training loss",
    "loss/validation": "Validation loss",
    "loss/validation/training_data": "Loss on training data, evaluated",
    "accuracy/train": "Training accuracy",
    "accuracy/validation": "Validation accuracy",
    "lr": "Learning rate",
    "grad_norm": "Gradient norm",
    "clip/norm": "Norm before clipping",
    "clip/threshold": "Clipping threshold",
    "update_ratio": "Update/weight ratio",
}
MOVING = ("weight", "embedding")  # kinds of parameters whose gradients a map shows


@dataclass(frozen=True, eq=False)
class Chart:
    key: str
    title: str
    lines: Sequence[tuple[str, Series]]  # label and values
    log: bool


def charts(run: Run) -> list[Chart]:
    """The charts from top to bottom, which share one time axis. A chart without values is left out."""
    losses, rates, norms = _losses(run), _rates(run), _gradients(run)
    peaks = [float(one.finite.values.max(initial=0.0)) for one in rates]
    several_rates = len(peaks) > 1 and min(peaks) > 0 and max(peaks) > DECADES * min(peaks)
    found = [
        ("loss", "Loss", losses, spans_decades(losses[:2])),
        # A single schedule stays linear, because it may end at zero.
        ("rate", "Learning rate", rates, several_rates),
        ("gradient", "Gradient norm", norms, spans_decades(norms[:1])),
        ("accuracy", "Accuracy", _named(run, "accuracy/train", "accuracy/validation"), False),
        ("update", "Update/weight ratio", _named(run, "update_ratio"), True),
    ]
    return [
        Chart(key, title, [(_label(run, one), one) for one in lines], log) for key, title, lines, log in found if lines
    ]


def extent(run: Run) -> list[int]:
    """The first and last step of the time axis."""
    found = [run.series(name) for name in ("loss/train", "loss/validation", "lr", "grad_norm")]
    steps = [int(edge) for series in found if series for edge in (series.steps.min(), series.steps.max())]
    return [min(steps), max(steps)] if steps else [0, max(1, run.steps)]


def spans_decades(series: Sequence[Series]) -> bool:
    """Whether the values span so wide a range that they need a log scale."""
    values = np.concatenate([curve_of(one).values for one in series if one] or [np.zeros(0)])
    if not len(values) or values.min() <= 0:
        return False
    low, high = np.quantile(values, [0.01, 0.999])
    return bool(high > DECADES * low)


def networks(run: Run) -> list[str]:
    """The names of the losses of networks that a log trains in turn, where it has no training loss."""
    names = [f"raw/{name}" for name in run.log.networks]
    return [] if run.series("loss/train") else [name for name in names if run.series(name)][:4]


def _losses(run: Run) -> list[Series]:
    """The losses, and those of several backward calls or evaluation sets. A single call only repeats the main loss."""
    calls = [name for name in run.series_names if name.startswith("loss/train/")]
    own = [name for name in calls if not _same(run.series(name), run.series("loss/train"))]
    sets = [name for name in run.series_names if name.startswith("loss/validation/")]
    numbered = [*(own if len(calls) > 1 else []), *sets][:MOST_LINES]
    return _named(run, "loss/train", *networks(run), "loss/validation", *numbered)


def _rates(run: Run) -> list[Series]:
    """The first learning rate, and those of other parameter groups that differ from it, held to the end of the run: a
    rate is recorded only when it changes."""
    first, last = curve_of(run.series("lr")), extent(run)[1]
    found = _named(run, "lr")
    for name in sorted(name for name in run.series_names if name.startswith("lr/")):
        curve = curve_of(run.series(name))
        if len(curve) and (
            not len(first)
            or not np.allclose(np.interp(curve.steps, first.steps, first.values), curve.values, rtol=SAME_RATE)
        ):
            found.append(run.series(name))
    return [
        one
        if one.steps[-1] >= last
        else Series(one.name, np.append(one.steps, last), np.append(one.values, one.values[-1]))
        for one in found[:MOST_RATES]
    ]


def _gradients(run: Run) -> list[Series]:
    optimizers = [name for name in run.series_names if name.startswith("grad_norm/")]
    return _named(run, "grad_norm", "clip/norm", "clip/threshold", *optimizers[:MOST_LINES])


def _named(run: Run, *names: str) -> list[Series]:
    return [run.series(name) for name in names if run.series(name)]


def _same(one: Series, other: Series) -> bool:
    return len(one) == len(other) and bool(np.array_equal(one.values, other.values, equal_nan=True))


def _label(run: Run, series: Series) -> str:
    name = series.name
    calls = [other for other in run.series_names if other.startswith("loss/train/")]
    if name == "loss/train" and len(calls) > 1:
        name = next((other for other in calls if _same(run.series(other), series)), name)
    stem, _, last = name.rpartition("/")
    if stem == "loss/train" and (line := _line(run, int(last)) if last.isdigit() else ""):
        return f"Training loss, line {line}"
    if name in LABELS:
        return LABELS[name]
    if stem == "lr" and "." in last:
        return "Learning rate of optimizer {}, group {}".format(*last.split(".", 1))
    return f"{LABELS[stem]} {last}" if stem in LABELS else clean(name.removeprefix("raw/"))


def _line(run: Run, place: int) -> str:
    """The line of a backward call, which distinguishes the losses of several networks."""
    site = run.backward_sites[place].site if place < len(run.backward_sites) else None
    return str(site.line) if site and site.line else ""


def in_order(run: Run, table: LayerTable, of: str) -> list[str]:
    """The layers in forward order; layers whose place is unknown come last."""
    ordered = [p.name for p in run.parameters] if of == "parameter" else [m.name for m in run.modules]
    known = [name for name in dict.fromkeys(ordered) if name in table.layers]
    return [*known, *(name for name in table.layers if name not in set(known))]


def weights(run: Run) -> Iterator[str]:
    return (parameter.name for parameter in run.parameters if parameter.kind in MOVING)


def broken(run: Run, table: LayerTable, values: FloatArray) -> NDArray[np.bool_]:
    """Where values are infinite, or missing at a step at which the run reported a non-finite gradient or loss."""
    reported = {event.step for kind in ("nonfinite-gradient", "nonfinite-loss") for event in run.events_of(kind)}
    at = np.array([step in reported for step in table.steps.tolist()], bool)
    return np.asarray(np.isinf(values) | (np.isnan(values) & at[:, None]))


def extremes(values: FloatArray, columns: int) -> IntArray:
    """The points to draw of a long curve: the lowest and the highest of each column, so that no spike is lost."""
    if len(values) <= 2 * columns:
        return np.arange(len(values))
    kept = {0, len(values) - 1}
    for part in np.array_split(np.arange(len(values)), columns):
        kept |= {int(part[values[part].argmin()]), int(part[values[part].argmax()])}
    return np.array(sorted(kept))


def log_range(values: FloatArray) -> tuple[float, float]:
    """The ends of a logarithmic colour scale."""
    present = values[np.isfinite(values) & (values > 0)]
    if not len(present):
        return 1e-8, 1.0
    low, high = float(np.quantile(present, 0.01)), float(present.max())
    return min(low, high / 10), high
