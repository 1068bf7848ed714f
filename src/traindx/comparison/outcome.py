"""Reads and diagnoses many runs, on all cores if there are enough: levels, stability, diagnosis.

Only the result of a run is kept in memory, not the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..conditions import Finding
from ..diagnosis import Diagnosis, diagnose
from ..readers import Options, ReaderError, read
from ..readers.folders import Place, read_places
from ..record import RecordError, Run, Series
from ..record.types import FloatArray, IntArray, evenly
from ..signs.curve import Curve, curve_of
from ..spreading import spread
from ..wording import listed
from .settings import is_config, named_settings, settings_of
from .types import Measured, Metric, Outcome, quantity_of

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
    leading, named = diagnosis.leading, _condition(diagnosis)
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
        condition=named.id if named else None,
        condition_title=named.title if named else "",
        since=diagnosis.marked if named and named.id == diagnosis.headline.id else None,
        bad=bool(named and named.bad),
    )


def _condition(diagnosis: Diagnosis) -> Finding | None:
    """The condition that the headline names; of a healthy run, the first that is advice."""
    fault = diagnosis.headline.kind in ("fault", "suspicion")
    named = next((found for found in diagnosis.conditions if found.id == diagnosis.headline.id), None)
    return named or (None if fault else next(iter(diagnosis.conditions), None))


# What people call these series, where the log has no column of that name.
USUAL = {
    **dict.fromkeys(("val_loss", "valid_loss", "validation_loss", "eval_loss", "test_loss"), "loss/validation"),
    **dict.fromkeys(("loss", "train_loss", "training_loss"), "loss/train"),
    **dict.fromkeys(("accuracy", "acc", "val_acc", "val_accuracy", "validation_accuracy"), "accuracy/validation"),
    **dict.fromkeys(("train_acc", "train_accuracy"), "accuracy/train"),
}


def find_series(run: Run, metric: str) -> str | None:
    """Return the series that the user means: by the record's name, the log's name, or a short form of either."""
    short = {"train": "loss/train", "validation": "loss/validation", "val": "loss/validation"}
    wanted = short.get(metric, metric).lower()
    for name in run.series_names:
        if wanted in (name.lower(), name.lower().removeprefix("raw/")):
            return name
    columns = run.log.columns
    if named := next((role for role, column in columns.items() if str(column).lower() == wanted), None):
        return str(named) if run.series(str(named)) else None
    usual = USUAL.get(wanted)
    return usual if usual and run.series(usual) else None


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
    shown = evenly(len(curve), MOST_SMOOTH)
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


MOST_NAMED = 5  # names in a message


@dataclass
class Skipped:
    beside_logs: list[Place] = field(default_factory=list)  # text with losses beside logs of a certain format
    unreadable: list[str] = field(default_factory=list)  # reasons, each with the name of its file
    no_log: int = 0  # number of text files without training values

    def add(self, place: Place, reasons: list[str]) -> None:
        """Add a file that could not be read: a damaged log, or not a log."""
        if place.weak:
            self.no_log += bool(reasons)
        elif not is_config(place.path):
            self.unreadable += reasons

    def sentences(self) -> Iterator[str]:
        if self.beside_logs:
            named = listed([str(place.path.relative_to(place.root or "")) for place in self.beside_logs], MOST_NAMED)
            yield f"text beside other logs was not read ({named}): name the files to include them"
        for reason in self.unreadable[:MOST_NAMED]:
            yield f"skipped: {reason}"
        if len(self.unreadable) > MOST_NAMED:
            yield f"skipped: {len(self.unreadable) - MOST_NAMED} further files for similar reasons"
        if self.no_log:
            yield f"text files without training values skipped: {self.no_log}"


@dataclass
class Gathered:
    outcomes: list[Outcome] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # reasons why logs that the user named could not be read
    skipped: Skipped = field(default_factory=Skipped)  # other files in the folders


def gather(
    places: Sequence[Place],
    options: Options,
    metric: Metric | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """Read and diagnose all runs at the places, in their order."""
    judge = partial(spread, partial(_judge, options=options, metric=metric), progress=progress)
    found, left_out = read_places(places, judge, lambda results: any(isinstance(r, Outcome) for r in results))
    gathered = Gathered()
    gathered.skipped.beside_logs += left_out
    for place, results in found.items():
        gathered.outcomes += [result for result in results if isinstance(result, Outcome)]
        reasons = [result for result in results if isinstance(result, str)]
        if place.root:
            gathered.skipped.add(place, reasons)
        else:
            gathered.failed += reasons
    return gathered


def _judge(place: Place, options: Options, metric: Metric | None) -> list[Outcome | str]:
    """The runs at the place, or the reason why it could not be read."""
    try:
        runs = read(place.path, options)
    except (ReaderError, RecordError) as error:
        return [str(error)]
    usable = [run for run in runs if run.series("loss/train") or run.series("loss/validation") or metric]
    if not usable:
        return [f"{place.path} holds no loss"]
    return [outcome_of(run, metric) for run in usable]
