"""Training loss, raw and smoothed, with the onsets of what was found marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...record import Run, Series
from ...signs import Sign
from ._lines import MOST_RAW, draw_curve, extent, finish, legend, scale, unit_of
from ._subject import Subject

TITLE = "Training loss"
ORDER = 10
HOW_TO_READ = (
    "Faint: every recorded value. Strong: smoothed. Dashed: where something begins. Red crosses: NaN or infinite."
)
HOW_TO_READ_SEVERAL = "One line a run, smoothed where there are many values. Red crosses: NaN or infinite."
MOST_ONSETS = 4


def has(run: Run) -> bool:
    return bool(_series(run))


def draw(figure: Any, subjects: Sequence[Subject]) -> None:
    axes = figure.subplots()
    series = [_series(subject.run) for subject in subjects]
    log = scale(axes, series)
    axes.set_xlim(*extent(subjects))
    for subject, its in zip(subjects, series, strict=True):
        label = subject.name if len(subjects) > 1 else "smoothed"
        draw_curve(
            axes,
            its,
            subject.colour,
            label,
            log,
            raw=len(subjects) <= MOST_RAW,
            whose=subject.name if len(subjects) > 1 else "",
        )
    finish(axes, "loss", log=log, xlabel=unit_of(subjects[0].run))
    legend(axes)
    if len(subjects) == 1:
        _mark_onsets(axes, subjects[0])


def _series(run: Run) -> Series:
    return run.series("loss/train") or run.series("loss/validation")


def _mark_onsets(axes: Any, subject: Subject) -> None:
    """A dashed line at each onset, its name beside it, one below the other so that they stay readable."""
    found: dict[int, list[Sign]] = {}
    for sign in subject.diagnosis.symptoms if subject.diagnosis else ():
        # Crosses already show where the loss is not finite.
        if sign.onset is not None and sign.severity != "info" and sign.id != "loss-not-finite":
            found.setdefault(sign.onset, []).append(sign)
    low, high = axes.get_xlim()
    for place, (step, signs) in enumerate(list(found.items())[:MOST_ONSETS]):
        axes.axvline(step, color="#333333", linewidth=1, linestyle=(0, (4, 3)), zorder=4)
        words = " + ".join(sign.id.replace("-", " ") for sign in signs[:2])
        late = step > low + 0.6 * (high - low)
        axes.annotate(
            f"{words}, from step {step:,}", (step, 0.97 - 0.1 * place), xycoords=axes.get_xaxis_transform(), fontsize=9,
            ha="right" if late else "left", xytext=(-4 if late else 4, 0), textcoords="offset points", va="top",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}, zorder=7,
        )  # fmt: skip
