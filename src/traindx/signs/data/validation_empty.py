"""Whether validation runs over no samples at all.

Seen where the script iterates over a loader beside the training loader and gets no batch, where evaluations call the
model on no rows, or where the validation loss is not finite at every evaluation while the training loss is. An
evaluation that saw samples is none, whatever its numbers.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import counted
from .. import questions
from .._base import Missing, Sign, if_raised, place
from .._validation import evaluated_samples, passes_on_nothing

ID = "validation-empty"
QUESTION = questions.VALIDATION
SHOWS = "fault"
FEWEST_EVALUATIONS = 2


def measure(run: Run) -> Sign | Missing:
    loaders = run.entries("loaders")
    empty = [
        loader
        for loader in loaders
        if number(loader.get("batches")) == 0 and loader.get("role") != "train" and loader.get("passes") != 0
    ]
    samples = evaluated_samples(run)
    if empty and not samples:
        size = number(empty[0].get("size")) or 0.0
        words = f"a data loader delivers no batch ({counted(size, 'sample')}){place(empty[0].get('site'))}"
        return Sign(ID, 1.0, 1.0, words, onset=0, severity="critical", values={"size": size})
    if passes_on_nothing(run):
        words = f"{counted(passes_on_nothing(run), 'evaluation')} called the model on 0 samples"
        return Sign(ID, 1.0, 1.0, words, onset=0, severity="critical")
    validation, training = run.series("loss/validation").values, run.series("loss/train").values
    if samples:
        return Sign(ID, 0.0, 0.0, f"evaluation saw {counted(samples, 'sample')}")
    if len(validation) < FEWEST_EVALUATIONS or not len(training):
        return Missing(ID, "no evaluation was seen")
    nothing = not np.isfinite(validation).any() and bool(np.isfinite(training).all())
    level = 1.0 if nothing else 0.0
    words = (
        f"the validation loss is NaN at all {len(validation)} evaluations while the training loss is finite"
        if nothing
        else f"the validation loss is a number at {np.isfinite(validation).sum()} of {len(validation)} evaluations"
    )
    return Sign(ID, level, level, words, onset=0 if nothing else None, severity=if_raised(level, "critical"))
