"""Splits the rows of a log into runs where the step (or epoch) goes backward."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...record.types import FloatArray

BoolArray = NDArray[np.bool_]


@dataclass
class Stretch:
    """The rows of one run. Where a resumed run logged a step again, only the later row is kept."""

    keep: BoolArray
    resumed_at: list[int] = field(default_factory=list)
    interleaved: bool = False


def split(
    key: FloatArray, explicit: BoolArray, training: BoolArray, loss: FloatArray
) -> tuple[list[Stretch], list[str]]:
    """Split the rows into runs, and return notes about it.

    A step that goes back to where the run began starts a new run. A step that goes back to somewhere in between is a
    resume. Many small steps back mean that several processes write to one file. If the step restarts with every
    epoch, this function changes `key` in place so that it counts on.
    """
    length = len(key)
    everything = Stretch(np.ones(length, bool))
    counted = explicit & training
    if counted.all() and not np.any(key[1:] < key[:-1]):
        return [everything], []  # the usual case: nothing below is needed, which takes memory
    rows = np.flatnonzero(counted)
    if len(rows) < 2:
        return [everything], []
    steps = key[rows]
    moves = np.diff(steps)
    back = np.flatnonzero(moves < 0) + 1
    if not len(back):
        return [everything], []
    stride = float(np.median(moves[moves > 0])) if np.any(moves > 0) else 1.0
    if len(back) > max(3, 0.05 * len(rows)) and np.median(-moves[moves < 0]) <= 5 * stride:
        everything.interleaved = True
        return [everything], ["several writers share this log: the first value of each step is used"]
    if len(back) == 1 and back[0] == len(steps) - 1 and _written_before(steps, loss[rows]):
        everything.keep[rows[-1]] = False
        return [everything], [f"the last line goes back to {int(steps[-1])}: it repeats the best row and is left out"]
    starts, resumes = _restarts(steps, back, stride)
    if not starts:
        return [_with_resumes(everything, key, rows, steps, resumes)], _resume_note(resumes, steps)
    if _are_epochs(steps, loss[rows], starts):
        _count_through(key, rows, starts, stride)
        return [everything], ["the step restarts with every epoch: steps are counted through the whole run"]
    borders = [0, *(int(rows[i]) for i in starts), length]
    stretches = []
    for begin, end in pairwise(borders):
        keep = np.zeros(length, bool)
        keep[begin:end] = True
        inside = [i for i in resumes if begin <= rows[i] < end]
        stretches.append(_with_resumes(Stretch(keep), key, rows, steps, inside))
    return stretches, [
        f"the log holds {len(stretches)} runs: the step goes back to the start {len(starts)} times",
        *_resume_note(resumes, steps),
    ]


def _written_before(steps: FloatArray, loss: FloatArray) -> bool:
    """Return whether the last row repeats an earlier one, as early stopping prints the best row again."""
    same = steps[:-1] == steps[-1]
    return bool(np.any(loss[:-1][same] == loss[-1]))


def _restarts(steps: FloatArray, back: NDArray[np.intp], stride: float) -> tuple[list[int], list[int]]:
    """Return which backward moves start a new run, and which resume a run from a checkpoint."""
    starts: list[int] = []
    resumes: list[int] = []
    began = steps[0]
    for i in back.tolist():
        near_start = steps[i] <= began + 2 * stride and steps[i - 1] > began + 8 * stride
        if steps[i] <= began or near_start:
            starts.append(i)
            began = steps[i]
        elif steps[i] < steps[i - 1] - 1.5 * stride:
            resumes.append(i)
    return starts, resumes


def _with_resumes(
    stretch: Stretch, key: FloatArray, rows: NDArray[np.intp], steps: FloatArray, resumes: list[int]
) -> Stretch:
    for i in resumes:
        before = np.arange(len(key)) < rows[i]
        stretch.keep &= ~(before & (key >= steps[i]))
        stretch.resumed_at.append(int(steps[i]))
    return stretch


def _resume_note(resumes: list[int], steps: FloatArray) -> list[str]:
    if not resumes:
        return []
    where = ", ".join(str(int(steps[i])) for i in resumes[:5])
    return [
        f"the log goes back {len(resumes)} times (to {where}): the run was resumed; later values replace earlier ones"
    ]


def _are_epochs(steps: FloatArray, loss: FloatArray, starts: list[int]) -> bool:
    """Return whether the parts are epochs, not runs: equal lengths, and each loss continues that of the part before."""
    borders = [0, *starts, len(steps)]
    ends = steps[[b - 1 for b in borders[1:-1]]]
    if len(starts) < 2 or np.ptp(ends) > 0.1 * max(1.0, float(np.max(ends))):
        return False
    heads, tails = [], []
    for begin, end in pairwise(borders):
        part = loss[begin:end]
        part = part[np.isfinite(part) & (part > 0)]
        if not len(part):
            return False
        some = max(1, len(part) // 10)
        heads.append(np.log(np.median(part[:some])))
        tails.append(np.log(np.median(part[-some:])))
    goes_on = [abs(heads[k] - tails[k - 1]) < abs(heads[k] - heads[0]) for k in range(1, len(heads))]
    return float(np.mean(goes_on)) >= 0.8


def _count_through(key: FloatArray, rows: NDArray[np.intp], starts: list[int], stride: float) -> None:
    for i in starts:
        at = rows[i]
        key[at:] += key[at - 1] + stride - key[at]
