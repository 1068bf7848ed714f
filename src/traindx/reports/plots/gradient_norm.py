"""The norm of the whole gradient, before and after clipping if the run clips it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run, Series
from ._axes import extent, finish, legend, scale, unit_of
from ._lines import MOST_RAW, draw_curve
from ._subject import PALETTE, Subject

TITLE = "Gradient norm"
ORDER = 40
HEIGHT = 2.5
HOW_TO_READ = "Sudden peaks come from bad batches or steps; a fall towards zero means that learning has stopped."
HOW_TO_READ_SEVERAL = "Before clipping, if a run clips. A fall towards zero means that learning has stopped."


def has(run: Run) -> bool:
    return bool(run.series("grad_norm")) or bool(run.series("clip/norm"))


def draw(axes: Any, _side: Any, subjects: Sequence[Subject]) -> None:
    axes.set_xlim(*extent(subjects))
    if len(subjects) == 1:
        log = _one(axes, subjects[0].run)
    else:
        norms = [_before(subject.run) or subject.run.series("grad_norm") for subject in subjects]
        log = scale(axes, norms)
        for subject, its in zip(subjects, norms, strict=True):
            style = {"linestyle": subject.stroke}
            few = len(subjects) <= MOST_RAW
            draw_curve(axes, its, subject.colour, "", log, raw=few, whose=subject.name, **style)
    finish(axes, "gradient norm", log=log, unit=unit_of(*(subject.run for subject in subjects)))
    legend(axes)


def _one(axes: Any, run: Run) -> bool:
    norms = _norms(run)
    log = scale(axes, list(norms.values()))
    for place, (name, its) in enumerate(norms.items()):
        draw_curve(axes, its, PALETTE[place % len(PALETTE)], name, log, whose=name if len(norms) > 1 else "")
    return log


def _norms(run: Run) -> dict[str, Series]:
    """The norms by name: before and after clipping if the run clips, else one per optimizer."""
    if before := _before(run):
        limits = run.series("clip/threshold").values
        if len(limits) != len(before):
            return {"before clipping": before}
        return {
            "before clipping": before,
            "after clipping": Series("", before.steps, np.minimum(before.values, limits)),
        }
    others = {name: its for name in run.series_names if name.startswith("grad_norm/") and (its := run.series(name))}
    first = run.series("grad_norm")
    if not others:
        return {"gradient norm": first}
    return {"optimizer 0": first, **{f"optimizer {name.rpartition('/')[2]}": its for name, its in others.items()}}


def _before(run: Run) -> Series | None:
    """The norm that each clipping call measured.

    On the fast path, several calls are recorded under one step. If their number equals the number of steps until the
    next record, each call belongs to one of those steps.
    """
    norms = run.series("clip/norm")
    if not norms:
        return None
    steps, first, counts = np.unique(norms.steps, return_index=True, return_counts=True)
    gaps = np.append(np.diff(steps), counts[-1])
    if len(np.unique(first)) != len(steps) or (np.diff(norms.steps) < 0).any() or not (counts == gaps).all():
        return norms
    return Series(norms.name, steps[0] + np.arange(len(norms)), norms.values)
