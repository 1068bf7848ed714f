"""The learning rate over the same steps as the loss, to show what the schedule did to the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run
from ...record.types import FloatArray, IntArray
from ...signs.curve import Curve, curve_of
from ...wording import clean
from ._axes import DECADES, extent, finish, legend, plain, unit_of
from ._subject import PALETTE, Subject

TITLE = "Learning rate"
ORDER = 30
HEIGHT = 1.9
HOW_TO_READ = "The loss above has the same steps: compare it at each change."
HOW_TO_READ_SEVERAL = "The learning rates that the losses above were trained with, in the same colours."
JUMP = 1.5  # a smooth schedule changes by a smaller factor between two records
MOST_JUMPS = 12
MOST_GROUPS = 6


def has(run: Run) -> bool:
    return len(run.series("lr").finite) > 1


def how_to_read(run: Run) -> str:
    jumps = len(_jumps(curve_of(run.series("lr"))))
    return f"{'Dotted: where the learning rate jumps. ' if jumps else ''}{HOW_TO_READ}"


def draw(axes: Any, _side: Any, subjects: Sequence[Subject]) -> None:
    axes.set_xlim(*extent(subjects))
    drawn = [(subject, name, curve) for subject in subjects for name, curve in _rates(subject.run).items()]
    peaks = [float(curve.values.max()) for _, _, curve in drawn]
    # Only several learning rates need a log scale. A single schedule stays linear, because it may end at zero.
    log = min(peaks) > 0 and max(peaks) > DECADES * min(peaks)
    if log:
        axes.set_yscale("log")
    for place, (subject, name, curve) in enumerate(drawn):
        alone = len(subjects) == 1
        colour = PALETTE[place % len(PALETTE)] if alone else subject.colour
        axes.plot(
            *_to_the_end(curve, subject.run), color=colour, linewidth=1.7, label=name if alone else None,
            drawstyle="steps-post", linestyle=subject.stroke,
        )  # fmt: skip
        if alone and place == 0:
            for step in _jumps(curve):
                axes.axvline(step, color="#333333", linewidth=1, linestyle=":", zorder=1)
    finish(axes, "LR", log=log, unit=unit_of(*(subject.run for subject in subjects)))
    if not log:
        axes.set_ylim(0, 1.08 * max(peaks) or 1.0)
        axes.yaxis.set_major_formatter(lambda value, _: plain(value))
        axes.yaxis.get_major_locator().set_params(nbins=4)
    legend(axes)


def _rates(run: Run) -> dict[str, Curve]:
    """The first learning rate, and those of other parameter groups that differ from it."""
    rates = {"lr": curve_of(run.series("lr"))}
    first = rates["lr"]
    for name in run.series_names:
        if not name.startswith("lr/") or len(rates) == MOST_GROUPS:
            continue
        curve = curve_of(run.series(name))
        if len(curve) and not np.allclose(np.interp(curve.steps, first.steps, first.values), curve.values, rtol=0.02):
            optimizer, _, group = name.removeprefix("lr/").partition(".")
            rates[f"optimizer {optimizer}, group {group}" if group.isdigit() else clean(name)] = curve
    return rates if len(rates) == 1 else {"optimizer 0, group 0": rates.pop("lr"), **rates}


def _to_the_end(curve: Curve, run: Run) -> tuple[IntArray, FloatArray]:
    """The curve extended to the last step of the loss, because a learning rate holds until it changes."""
    ends = [int(its.steps.max()) for name in ("loss/train", "loss/validation") if (its := run.series(name))]
    last = max(ends, default=int(curve.steps[-1]))
    if last <= curve.steps[-1]:
        return curve.steps, curve.values
    return np.append(curve.steps, last), np.append(curve.values, curve.values[-1])


def _jumps(curve: Curve) -> list[int]:
    """The first steps at which the learning rate jumps."""
    rates = curve.values
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(rates[1:] / rates[:-1]))
    # At the end of a decay to zero, every step is a large ratio but a tiny difference.
    sudden = (ratios > np.log(JUMP)) & (np.abs(np.diff(rates)) > 0.05 * rates.max())
    return [int(step) for step in curve.steps[1:][sudden][:MOST_JUMPS]]
