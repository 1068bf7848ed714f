"""Training and validation loss of several runs. For a single run, the chart `loss` shows both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...record import Run
from . import loss
from ._axes import extent, finish, scale, unit_of
from ._lines import draw_curve
from ._subject import Subject

TITLE = "Training against validation loss"
ORDER = 20
REPEATS = "loss"
HOW_TO_READ = loss.HOW_TO_READ
how_to_read = loss.how_to_read
HOW_TO_READ_SEVERAL = "Dotted: training; solid: validation. One that rises while training falls is overfitting."
DOTTED = {"linestyle": ":", "marker": "", "linewidth": 1.2}


def has(run: Run) -> bool:
    return bool(run.series("loss/train")) and bool(run.series("loss/validation"))


def draw(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) == 1:
        loss.draw(axes, side, subjects)
        return
    log = scale(axes, [subject.run.series(name) for subject in subjects for name in ("loss/train", "loss/validation")])
    axes.set_xlim(*extent(subjects))
    for subject in subjects:
        training, validation = subject.run.series("loss/train"), subject.run.series("loss/validation")
        draw_curve(axes, training, subject.colour, "", log, raw=False, whose=subject.name, **DOTTED)
        draw_curve(axes, validation, subject.colour, "", log, raw=False, whose=subject.name)
    finish(axes, "loss", log=log, unit=unit_of(*(subject.run for subject in subjects)))
