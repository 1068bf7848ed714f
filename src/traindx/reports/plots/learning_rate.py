"""Loss above, learning rate below, over the same steps: what the schedule did to the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run
from ...signs.curve import curve_of
from ._lines import DECADES, draw_curve, extent, finish, legend, scale, unit_of
from ._subject import Subject

TITLE = "Loss and learning rate in shared time"
ORDER = 30
HOW_TO_READ = "Dotted: where the learning rate jumps. Look straight up from there to see what the loss did."
HOW_TO_READ_SEVERAL = "Above the losses, below the learning rates that they were trained with, in the same colours."
JUMP = 1.5  # a smooth schedule changes less than this between two records
MOST_JUMPS = 12


def has(run: Run) -> bool:
    return len(run.series("lr").finite) > 1


def height(subjects: Sequence[Subject]) -> float:  # noqa: ARG001
    return 4.0


def draw(figure: Any, subjects: Sequence[Subject]) -> None:
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    losses = [subject.run.series("loss/train") or subject.run.series("loss/validation") for subject in subjects]
    rates = [subject.run.series("lr") for subject in subjects]
    log_loss = scale(top, losses)
    peaks = [float(rate.finite.values.max()) for rate in rates]
    # Schedules end at zero, which has no place on a logarithmic scale: one run's is drawn linear.
    log_rate = min(peaks) > 0 and max(peaks) > DECADES * min(peaks)
    if log_rate:
        bottom.set_yscale("log")
    top.set_xlim(*extent(subjects))
    for subject, loss, rate in zip(subjects, losses, rates, strict=True):
        if loss:
            draw_curve(top, loss, subject.colour, subject.name, log_loss, raw=len(subjects) == 1)
        curve = curve_of(rate)
        bottom.plot(curve.steps, curve.values, color=subject.colour, linewidth=1.7, drawstyle="steps-post")
        if len(subjects) == 1:
            _jumps((top, bottom), curve.steps, curve.values)
    finish(top, "loss", log=log_loss, xlabel=None)
    finish(bottom, "learning rate", log=log_rate, xlabel=unit_of(subjects[0].run))
    if not log_rate:
        bottom.set_ylim(bottom=0)
        bottom.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4))
    legend(top)


def _jumps(both: Sequence[Any], steps: Any, rates: Any) -> None:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(rates[1:] / rates[:-1]))
    # At the very end of a decay to zero every step is a large ratio and a tiny difference.
    sudden = (ratios > np.log(JUMP)) & (np.abs(np.diff(rates)) > 0.05 * rates.max())
    for step in steps[1:][sudden][:MOST_JUMPS]:
        for axes in both:
            axes.axvline(step, color="#333333", linewidth=1, linestyle=":", zorder=1)
