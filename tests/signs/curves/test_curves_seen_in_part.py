"""A run that was not observed to its end: what a loss does at the end of the record tells nothing of the run's."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import Run, RunBuilder
from traindx.signs import Missing, all_signs

AT_THE_END = (
    "still-improving", "much-to-gain", "validation-still-improving", "few-updates", "validation-rising",
    "loss-diverged",
    "loss-plateau", "loss-stuck", "loss-oscillating", "training-learned", "validation-learned", "no-learning-signal",
    "validation-never-improves", "generalisation-gap", "lr-collapsed",
)  # fmt: skip


def falling(**facts: object) -> Run:
    builder = RunBuilder("made", "observed")
    steps = np.arange(120)
    for name in ("loss/train", "loss/validation"):
        builder.series(name, steps, 2.0 - 0.01 * steps)
    for key, value in {"steps": 120, **facts}.items():
        builder.fact(key, value)
    return builder.build()


@pytest.mark.parametrize("sign", AT_THE_END)
def test_signs_of_the_end_are_missing(sign):
    run = falling(observers_off={"everything": "several threads train at once"})
    found = all_signs()[sign].measure(run)
    assert isinstance(found, Missing) and "to its end" in found.reason


def test_the_rest_is_too_little_to_judge():
    assert "to its end" not in diagnose(falling()).summary
    found = diagnose(falling(observers_off={"everything": "several threads train at once"}))
    assert found.verdict == "inconclusive"
    assert "several threads train at once" in found.summary
