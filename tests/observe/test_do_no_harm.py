"""A training under traindx gives the same weights, random streams and output as without it, in any style of code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TRAININGS = sorted((Path(__file__).parent / "trainings").glob("[!_]*.py"))


def without_our_lines(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("traindx: "))


@pytest.mark.parametrize("training", TRAININGS, ids=lambda path: path.stem)
def test_nothing_changes(warm, training):
    bare = warm.python(training, "--rate", "0.1")
    observed = warm.traindx(training, "--rate", "0.1")
    assert re.search(r"^weights \w{64}\nstreams \w{64}\nargv \['--rate', '0.1'\]$", bare.out, re.MULTILINE), bare.err
    assert observed.out == bare.out  # ends with digests of weights and of random streams
    assert observed.code == bare.code == 0
    assert without_our_lines(observed.err) == bare.err
    run = observed.run
    assert run.facts["exit"] == "ok"
    assert "observers_off" not in run.facts, run.facts.get("observers_off")
