"""Series over steps: losses, accuracies, learning rate, gradient norm, and further columns of a log."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....record import Run, Series
from ....signs.curve import curve_of
from .arrays import packed

DECADES = 10.0  # values that span more than this ratio are drawn on a log scale
MOST_RAW = 12  # further columns of a log
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


def curves(run: Run) -> dict[str, Any]:
    """The charts from top to bottom, which share one time axis. A chart without values is left out."""
    losses = _named(run, "loss/train", "loss/validation", *_numbered(run, "loss/train/", "loss/validation/"))
    charts = [
        _chart("loss", "Loss", losses, log=spans_decades(losses[:2])),
        _chart("rate", "Learning rate", [_held_to_the_end(run, rate) for rate in _rates(run)], log=False),
        _chart("gradient", "Gradient norm", _gradients(run), log=spans_decades(_gradients(run)[:1])),
        _chart("accuracy", "Accuracy", _named(run, "accuracy/train", "accuracy/validation"), log=False),
        _chart("update", "Update/weight ratio", _named(run, "update_ratio"), log=True),
        *(
            _chart(f"raw{i}", name.removeprefix("raw/"), [run.series(name)], log=spans_decades([run.series(name)]))
            for i, name in enumerate([n for n in run.series_names if n.startswith("raw/")][:MOST_RAW])
        ),
    ]
    return {"extent": extent(run), "charts": [chart for chart in charts if chart]}


def extent(run: Run) -> list[int]:
    """The first and last step of the time axis."""
    found = [run.series(name) for name in ("loss/train", "loss/validation", "lr", "grad_norm")]
    steps = [int(edge) for series in found if series for edge in (series.steps.min(), series.steps.max())]
    return [min(steps), max(steps)] if steps else [0, max(1, run.steps)]


def label(name: str) -> str:
    if name in LABELS:
        return LABELS[name]
    stem, _, last = name.rpartition("/")
    if stem == "lr" and "." in last:
        return "Learning rate of optimizer {}, group {}".format(*last.split(".", 1))
    return f"{LABELS[stem]} {last}" if stem in LABELS else name.removeprefix("raw/")


def _chart(key: str, title: str, series: list[Series], *, log: bool) -> dict[str, Any] | None:
    shown = [one for one in series if one]
    if not shown:
        return None
    lines = [{"name": one.name, "label": label(one.name), **packed(one)} for one in shown]
    return {"key": key, "title": title, "log": log, "lines": lines}


def _named(run: Run, *names: str) -> list[Series]:
    return [run.series(name) for name in names if run.series(name)]


def _numbered(run: Run, *stems: str) -> list[str]:
    """The losses of several backward calls or evaluation sets. A single backward call only repeats the main series."""
    found = [name for stem in stems for name in run.series_names if name.startswith(stem)]
    several = [name for name in found if name.startswith("loss/validation/")]
    places = [name for name in found if name.startswith("loss/train/")]
    own = [name for name in places if not _same(run.series(name), run.series("loss/train"))]
    return [*(own if len(places) > 1 else []), *several][:8]


def _same(one: Series, other: Series) -> bool:
    return len(one) == len(other) and bool(np.array_equal(one.values, other.values, equal_nan=True))


def _rates(run: Run) -> list[Series]:
    others = sorted(name for name in run.series_names if name.startswith("lr/"))
    return _named(run, "lr", *others)[:6]


def _held_to_the_end(run: Run, rate: Series) -> Series:
    """The learning rate extended to the end of the run: it is recorded only when it changes."""
    last = extent(run)[1]
    if not rate or rate.steps[-1] >= last:
        return rate
    return Series(rate.name, np.append(rate.steps, last), np.append(rate.values, rate.values[-1]))


def _gradients(run: Run) -> list[Series]:
    return _named(run, "grad_norm", "clip/norm", "clip/threshold")


def spans_decades(series: list[Series]) -> bool:
    """Whether the values span so wide a range that they need a log scale."""
    values = np.concatenate([curve_of(one).values for one in series if one] or [np.zeros(0)])
    if not len(values) or values.min() <= 0:
        return False
    low, high = np.quantile(values, [0.01, 0.999])
    return bool(high > DECADES * low)
