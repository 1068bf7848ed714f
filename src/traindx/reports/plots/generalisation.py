"""Training loss against validation loss: the gap between them, and the best validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run
from ...signs.curve import curve_of
from ._lines import draw_curve, extent, finish, legend, scale, smoothed, unit_of
from ._subject import VALIDATION, Subject

TITLE = "Training against validation loss"
ORDER = 20
HOW_TO_READ = "Shaded: the gap between them. A validation loss that rises while training falls is overfitting."
HOW_TO_READ_SEVERAL = "Dotted: training; solid: validation. One that rises while training falls is overfitting."
DOTTED = {"linestyle": ":", "marker": ""}


def has(run: Run) -> bool:
    return bool(run.series("loss/train")) and bool(run.series("loss/validation"))


def draw(figure: Any, subjects: Sequence[Subject]) -> None:
    axes = figure.subplots()
    log = scale(axes, [subject.run.series(name) for subject in subjects for name in ("loss/train", "loss/validation")])
    axes.set_xlim(*extent(subjects))
    for subject in subjects:
        training, validation = subject.run.series("loss/train"), subject.run.series("loss/validation")
        if len(subjects) > 1:
            draw_curve(axes, training, subject.colour, "", log, raw=False, whose=subject.name, **DOTTED)
            draw_curve(axes, validation, subject.colour, subject.name, log, raw=False, whose=subject.name)
            continue
        draw_curve(axes, training, subject.colour, "training, smoothed", log, raw=False, whose="training")
        draw_curve(axes, validation, VALIDATION, "validation", log, raw=False, whose="validation")
        _gap(axes, subject, log)
        _best(axes, subject)
    if len(subjects) > 1:
        axes.plot([], [], color="#444444", label="dotted: training", **DOTTED)
    finish(axes, "loss", log=log, xlabel=unit_of(subjects[0].run))
    legend(axes)


def _gap(axes: Any, subject: Subject, log: bool) -> None:
    training = curve_of(subject.run.series("loss/train"))
    validation = curve_of(subject.run.series("loss/validation"))
    if len(training) < 2 or len(validation) < 2:
        return
    below = np.interp(validation.steps, training.steps, smoothed(training, log))
    axes.fill_between(validation.steps, below, validation.values, color=VALIDATION, alpha=0.12, linewidth=0, zorder=1)


def _best(axes: Any, subject: Subject) -> None:
    validation = curve_of(subject.run.series("loss/validation"))
    if len(validation) < 2:
        return
    at = int(np.argmin(validation.values))
    step, value = int(validation.steps[at]), float(validation.values[at])
    axes.plot(
        [step], [value], "o", color=VALIDATION, markersize=8, markerfacecolor="white", markeredgewidth=2, zorder=5
    )
    late = at > 0.6 * len(validation)
    axes.annotate(
        f"lowest validation {value:.4g}, step {step:,}", (step, value), xytext=(-8 if late else 8, 9), fontsize=9,
        textcoords="offset points", ha="right" if late else "left", color=VALIDATION, va="bottom", zorder=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )  # fmt: skip
    axes.margins(y=0.15)
