"""Training and validation loss: raw and smoothed, the gap between them, and the onsets of symptoms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run, Series
from ...record.values import mapping, number
from ...signs.curve import curve_of
from ...wording import clean
from ._axes import extent, finish, legend, scale, unit_of
from ._lines import FEWEST_TO_SMOOTH, MOST_RAW, draw_curve, smoothed
from ._onsets import mark_onsets
from ._subject import PALETTE, VALIDATION, Subject

TITLE = "Loss"
ORDER = 10
HEIGHT = 3.2
MARKS_ONSETS = True
HOW_TO_READ = "The loss at every recorded step."
HOW_TO_READ_SEVERAL = "Training loss, one line per run, smoothed where there are many values. Red crosses: NaN or Inf."


def has(run: Run) -> bool:
    return bool(_series(run))


def how_to_read(run: Run) -> str:
    """Explains only what this run's chart shows."""
    series = [*training_losses(run).values(), run.series("loss/validation")]
    parts = {
        "faint: every recorded value; strong: smoothed": len(series[0]) >= FEWEST_TO_SMOOTH,
        "shaded: the gap to validation": len(series) == 2 and len(series[1]) > 1,
        "red crosses: NaN or Inf": any(len(its.finite) < len(its) for its in series),
    }
    told = "; ".join(text for text, holds in parts.items() if holds)
    return f"{told[:1].upper()}{told[1:]}." if told else HOW_TO_READ


def draw(axes: Any, _side: Any, subjects: Sequence[Subject]) -> None:
    axes.set_xlim(*extent(subjects))
    log = _one(axes, subjects[0]) if len(subjects) == 1 else _several(axes, subjects)
    finish(axes, "loss", log=log, unit=unit_of(*(subject.run for subject in subjects)))
    legend(axes)
    if len(subjects) == 1:
        mark_onsets(axes, subjects[0])


def _one(axes: Any, subject: Subject) -> bool:
    run = subject.run
    training, validation = training_losses(run), run.series("loss/validation")
    log = scale(axes, [*training.values(), *([validation] if validation else [])])
    several = len(training) > 1 or bool(validation)
    for (name, its), colour in zip(training.items(), _colours(), strict=False):
        draw_curve(axes, its, colour, name if several else "smoothed", log, whose=name if several else "")
    if validation:
        draw_curve(axes, validation, VALIDATION, "validation", log, raw=False, whose="validation")
        if len(training) == 1:
            _gap(axes, run, log)
        _best(axes, run)
    return log


def _several(axes: Any, subjects: Sequence[Subject]) -> bool:
    series = [_series(subject.run) for subject in subjects]
    log = scale(axes, series)
    for subject, its in zip(subjects, series, strict=True):
        few = len(subjects) <= MOST_RAW
        style = {"linestyle": subject.stroke}
        draw_curve(axes, its, subject.colour, "", log, raw=few, whose=subject.name, **style)
    return log


def _colours() -> list[str]:
    """The palette without the colour of validation."""
    return [colour for colour in PALETTE if colour != VALIDATION]


def training_losses(run: Run) -> dict[str, Series]:
    """The training losses by name: one, or several if networks are trained in turn (a GAN)."""
    sites = {_call(run, k): its for k in range(4) if (its := run.series(f"loss/train/{k}"))}
    if len(sites) > 1 and len(run.optimizers) > 1:
        return sites
    networks = run.fact("log").get("networks") or ()
    named = {clean(str(name)): its for name in networks if (its := run.series(f"raw/{name}"))}
    if named and not run.series("loss/train"):
        return dict(list(named.items())[:4])
    training = run.series("loss/train")
    return {"training": training} if training else {}


def _call(run: Run, place: int) -> str:
    """The name of a backward call by its line, to distinguish the losses of several networks."""
    calls = run.entries("backward_sites")
    site = mapping(calls[place].get("site")) if place < len(calls) else {}
    line = number(site.get("line"))
    return f"loss of line {line:.0f}" if line else f"loss {place}"


def _series(run: Run) -> Series:
    return next(iter(training_losses(run).values()), None) or run.series("loss/validation")


def _gap(axes: Any, run: Run, log: bool) -> None:
    training, validation = curve_of(run.series("loss/train")), curve_of(run.series("loss/validation"))
    if len(training) < 2 or len(validation) < 2:
        return
    below = np.interp(validation.steps, training.steps, smoothed(training, log))
    axes.fill_between(validation.steps, below, validation.values, color=VALIDATION, alpha=0.12, linewidth=0, zorder=1)


def _best(axes: Any, run: Run) -> None:
    validation = curve_of(run.series("loss/validation"))
    if len(validation) < 2:
        return
    at = int(np.argmin(validation.values))
    step, value = int(validation.steps[at]), float(validation.values[at])
    axes.plot(
        [step], [value], "o", color=VALIDATION, markersize=8, markerfacecolor="white", markeredgewidth=2, zorder=5
    )
    late = at > 0.6 * len(validation)
    axes.annotate(
        f"lowest validation {value:.4g}, {unit_of(run)} {step:,}", (step, value), xytext=(-8 if late else 8, -9),
        fontsize=8.5, textcoords="offset points", ha="right" if late else "left", color=VALIDATION, va="top", zorder=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )  # fmt: skip
    axes.margins(y=0.15)
