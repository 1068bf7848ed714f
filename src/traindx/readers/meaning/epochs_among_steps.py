"""Puts evaluations that are numbered by epoch on the axis of a training that is numbered by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...record.types import IntArray
from .named_series import NamedSeries

if TYPE_CHECKING:
    from .assembly import LogFacts

FEWEST = 3  # evaluations; fewer do not show how they are numbered
STEPS_PER_EPOCH = 5.0  # with fewer steps per epoch, epochs cannot be told from steps


def place_epochs_among_steps(curves: dict[str, NamedSeries], log: LogFacts) -> None:
    """Move evaluations at 1, 2, 3 … to the steps at which these epochs ended."""
    train = curves.get("loss/train")
    if train is None or log.step_unit != "step":
        return
    epochs = [
        name for name, curve in curves.items() if _of_evaluation(name) and _counts_epochs(curve.steps, train.steps)
    ]
    if not epochs or len({int(curves[name].steps[-1]) for name in epochs}) > 1:
        return
    for name in epochs:
        curve = curves[name]
        curves[name] = NamedSeries(curve.name, _ends(curve.steps, train.steps, curves.get("epoch")), curve.values)
    names = ", ".join(log.columns.get(name, name) for name in epochs)
    log.notes.append(f"{names}: numbered by epoch while training is numbered by step; placed where the epochs ended")


def _of_evaluation(name: str) -> bool:
    return name.startswith(("loss/validation", "accuracy/validation"))


def _counts_epochs(steps: IntArray, trained: IntArray) -> bool:
    """Return whether the steps are 0, 1, 2 … or 1, 2, 3 …, beside a training with many more steps and points."""
    if len(steps) < FEWEST or steps[0] not in (0, 1) or not np.all(np.diff(steps) == 1):
        return False
    far = float(trained.max()) >= STEPS_PER_EPOCH * float(steps[-1] + 1)
    return far and len(trained) >= 2 * len(steps) and not np.isin(steps, trained).all()


def _ends(epochs: IntArray, trained: IntArray, epoch: NamedSeries | None) -> IntArray:
    """Return the step at which each epoch ended: from the epochs in the log, or at equal distances."""
    passed = epochs - epochs[0] + 1
    if epoch is not None and len(epoch) > len(epochs) and np.all(np.diff(epoch.values) >= 0):
        ends = [
            trained[trained <= epoch.steps[epoch.values <= number].max(initial=0)].max(initial=0) for number in epochs
        ]
        if np.all(np.diff(ends) > 0):
            return np.asarray(ends, np.int64)
    return np.asarray(np.round(passed * float(trained.max()) / passed[-1]), np.int64)
