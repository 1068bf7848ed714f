"""Makes the result of a run: levels, stability, diagnosis. Only the result is kept in memory, not the run."""

from __future__ import annotations

import numpy as np

from ..diagnosis import Diagnosis, diagnose
from ..record import Run, Series
from ..record.types import FloatArray, IntArray
from ..record.values import mapping
from ..signs.curve import Curve, curve_of
from .quantity import quantity_of
from .settings import named_settings, settings_of
from .types import Measured, Metric, Outcome

STANDARD = ("loss/validation", "loss/train", "accuracy/validation", "accuracy/train")
MOST_POINTS = 2048  # of each curve
MOST_SMOOTH = 400  # of each smoothed curve
SMOOTH_SHARE = 40  # the level at a point is the median over 1/40 of the run
FINAL_SHARE = 0.05  # the final value is the median over the last 5 % of the run


def outcome_of(run: Run, metric: Metric | None = None) -> Outcome:
    """Measure and diagnose a run. `metric` is one more quantity, stored under its name in `metric`."""
    diagnosis = diagnose(run)
    found = {name: measured(run.series(name), higher_is_better(name)) for name in STANDARD if run.series(name)}
    if metric and (series := find_series(run, metric.name)):
        found[metric.name] = measured(run.series(series), metric.higher_is_better)
    leading = diagnosis.leading
    return Outcome(
        source=run.source,
        kind=run.kind,
        steps=run.steps,
        step_unit=run.step_unit,
        settings=settings_of(run),
        named=named_settings(run),
        measured=found,
        quantities={name: quantity_of(run, name) for name in STANDARD[:2] if run.series(name)},
        stability=_stability(diagnosis),
        verdict=diagnosis.verdict,
        summary=diagnosis.summary,
        cause=leading.cause if diagnosis.verdict == "sick" else None,
        confidence=leading.confidence,
    )


def find_series(run: Run, metric: str) -> str | None:
    """Return the series that the user means: by the record's name, the log's name, or a short form of either."""
    short = {"train": "loss/train", "validation": "loss/validation", "val": "loss/validation"}
    wanted = short.get(metric, metric).lower()
    for name in run.series_names:
        if wanted in (name.lower(), name.lower().removeprefix("raw/")):
            return name
    columns = mapping(run.fact("log").get("columns"))
    if named := next((role for role, column in columns.items() if str(column).lower() == wanted), None):
        return str(named) if run.series(str(named)) else None
    return "accuracy/validation" if wanted == "accuracy" and run.series("accuracy/validation") else None


def higher_is_better(name: str) -> bool:
    """Decide by the words in the name. For an unknown name, lower is better."""
    words = name.lower()
    lower = ("loss", "err", "perplexity", "ppl", "wer", "cer", "fid", "mae", "mse", "nll", "rmse", "time")
    higher = ("acc", "f1", "auc", "bleu", "rouge", "map", "iou", "dice", "reward", "score", "recall", "precision", "r2")
    return not any(word in words for word in lower) and any(word in words for word in higher)


def measured(series: Series, higher: bool) -> Measured:
    steps, values = _thinned(series)
    curve = curve_of(series)
    # Evaluations are means over a data set, so short series of them need no smoothing.
    level = _level(curve, single_batches="train" in series.name)
    best = (int(np.argmax(level) if higher else np.argmin(level))) if len(curve) else None
    shown = _spread_out(len(curve))
    return Measured(
        name=series.name,
        steps=steps,
        values=values,
        best=None if best is None else float(level[best]),
        best_step=None if best is None else int(curve.steps[best]),
        final=_final(series, curve),
        smooth_steps=curve.steps[shown],
        smooth=level[shown],
        noise=float(curve.noise),
    )


def _thinned(series: Series) -> tuple[IntArray, FloatArray]:
    """Keep every n-th point. n is a power of two, so equal curves of different lengths keep common points."""
    stride = 1
    while len(series) / stride > MOST_POINTS:
        stride *= 2
    return series.steps[::stride], series.values[::stride]


def _level(curve: Curve, single_batches: bool) -> FloatArray:
    """Return the running median. A training loss is smoothed even if it is short, because single batches vary."""
    half = len(curve) // SMOOTH_SHARE // 2
    if single_batches and len(curve) >= 10:
        half = max(half, 1 if len(curve) < 40 else 2)
    if half < 1:
        return curve.values
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(curve.values, half, mode="reflect"), 2 * half + 1)
    pieces = np.array_split(windows, max(1, windows.size // 10_000_000))  # a median copies its input
    return np.concatenate([np.median(piece, axis=1) for piece in pieces])


def _spread_out(length: int) -> IntArray:
    """Return at most `MOST_SMOOTH` indices at equal distances, with both ends."""
    return np.unique(np.linspace(0, length - 1, min(length, MOST_SMOOTH)).astype(np.int64))


def _final(series: Series, curve: Curve) -> float | None:
    """Return the level at the end; None if the run ended in NaN/Inf."""
    if not len(curve):
        return None
    last = max(1, round(len(series) * FINAL_SHARE))
    tail = series.values[-last:]
    if np.isfinite(tail).mean() < 0.5 or not np.isfinite(series.values[-1]):
        return None
    return float(np.median(curve.values[-last:]))


def _stability(diagnosis: Diagnosis) -> str:
    """Return a few words on how the curve behaved."""
    signs = diagnosis.signs

    def raised(name: str) -> bool:
        return name in signs and signs[name].raised

    words = []
    if raised("loss-not-finite") and signs["loss-not-finite"].severity != "info":
        onset = signs["loss-not-finite"].onset
        words.append("NaN" if onset is None else f"NaN from {onset}")
    if raised("loss-diverged"):
        onset = signs["loss-diverged"].onset
        words.append("diverges" if onset is None else f"diverges at {onset}")
    if raised("loss-spike"):
        count = int(signs["loss-spike"].values.get("count", 1))
        words.append(f"{count} spike{'s' if count != 1 else ''}")
    if raised("loss-oscillating"):
        words.append("oscillates")
    if raised("early-instability") and not words:
        words.append("rough start")
    return ", ".join(words) or ("too short" if raised("too-short") else "steady")
