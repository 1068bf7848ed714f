"""A training that is killed lacks at most the promised time of training in its record, and is known to be killed."""

from __future__ import annotations

import random

import pytest
from benchmarks.safety.kills import SCRIPT, WIDTHS, lost, said_by, wait_and_kill

from traindx.record.writer import LAG_SECONDS
from traindx.reports import render


@pytest.mark.parametrize("width", WIDTHS)
def test_killed_training_keeps_what_it_promised(warm, tmp_path, script, width):
    """`python -m benchmarks.safety.kills` does this many times, at random moments."""
    said, moment = tmp_path / "said", random.Random(width).uniform(0.3, 1.5)
    path = script(SCRIPT, "train.py")

    def kill(pid, record):
        wait_and_kill(pid, said, moment)

    killed = warm.traindx(path, str(width), str(said), during=kill)
    taken, run = said_by(said), killed.run
    assert killed.code == -9 and len(taken) > 3
    assert lost(taken, run.steps) <= LAG_SECONDS
    assert run.steps <= taken[-1][0] + 1
    assert run.series("loss/train").steps[-1] == run.steps - 1
    assert run.facts["exit"] == "killed"
    text = render(run.diagnose(), "text", width=200, colour=False, ascii_only=False)
    text = " ".join(text.split())  # long paths wrap the line
    assert f"was killed at about step {run.steps:,}" in text and "still running" not in text
