"""The norm of the whole gradient, with the clipping threshold where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run
from ._lines import MOST_RAW, draw_curve, extent, finish, legend, scale, unit_of
from ._subject import Subject

TITLE = "Gradient norm"
ORDER = 40
HOW_TO_READ = "Sudden peaks are batches or steps that hurt; a fall towards zero means that learning has stopped."


def has(run: Run) -> bool:
    return bool(run.series("grad_norm"))


def draw(figure: Any, subjects: Sequence[Subject]) -> None:
    axes = figure.subplots()
    series = [subject.run.series("grad_norm") for subject in subjects]
    log = scale(axes, series)
    axes.set_xlim(*extent(subjects))
    for subject, its in zip(subjects, series, strict=True):
        whose = subject.name if len(subjects) > 1 else ""
        label = whose or "gradient norm, smoothed"
        draw_curve(axes, its, subject.colour, label, log, raw=len(subjects) <= MOST_RAW, whose=whose)
    thresholds = [t for subject in subjects if (t := subject.run.series("clip/threshold").finite)]
    if thresholds:
        level = float(np.median(thresholds[0].values))
        axes.axhline(level, color="#333333", linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"clipped above {level:.3g}", (0.995, level), xycoords=axes.get_yaxis_transform(), fontsize=9, ha="right",
            xytext=(0, 3), textcoords="offset points",
        )  # fmt: skip
    finish(axes, "gradient norm", log=log, xlabel=unit_of(subjects[0].run))
    legend(axes)
