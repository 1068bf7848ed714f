"""A run that was stopped within the first few percent of its planned steps is too short to judge."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import Run, RunBuilder
from traindx.signs import Sign, all_signs


def run_of(steps: int, planned: int | None, ended: str | None) -> Run:
    builder = RunBuilder("run.tdx", "observed").fact("steps", steps)
    at = np.arange(steps)
    builder.series("loss/train", at, 2.3 + 0.01 * np.sin(at))
    if planned is not None:
        builder.fact("planned", {"steps": planned, "source": "loops"})
    if ended is not None:
        builder.fact("exit", ended)
    return builder.build()


def too_short(run: Run) -> Sign:
    found = all_signs()["too-short"].measure(run)
    assert isinstance(found, Sign)
    return found


@pytest.mark.parametrize("ended", ["stopped", "signal SIGINT", "killed", "exception", None])
def test_a_run_cut_off_early_is_too_short(ended: str | None) -> None:
    found = too_short(run_of(40, 4000, ended))
    assert found.raised and found.text == "Only 40 of 4,000 planned steps were made."


@pytest.mark.parametrize(
    ("steps", "planned", "ended"),
    [
        (40, 4000, "ok"),  # early stopping, or a break: the script was done
        (40, 4000, "exit 1"),
        (200, 4000, "stopped"),
        (4000, 4000, "ok"),
        (40, None, "stopped"),
    ],
)
def test_other_runs_are_long_enough(steps: int, planned: int | None, ended: str) -> None:
    assert not too_short(run_of(steps, planned, ended)).raised


def test_an_early_end_is_not_called_sick() -> None:
    found = diagnose(run_of(120, 40_000, "stopped"))
    assert found.verdict == "inconclusive" and "120 of 40,000 planned steps" in found.summary
    assert not found.do_now  # "stop the run" would contradict "too little to judge"
