"""Whether a run still goes on is found without the wall clock, which people and time servers set."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from traindx.observe import ranks, recording
from traindx.observe.recording import Recording
from traindx.record import ending, load
from traindx.record.ending import HEARTBEAT_SECONDS, STALE_SECONDS, Companion, with_ending

HOUR = 3600.0


class Clocks:
    """The two clocks of a machine: `wall` jumps, `up` counts on."""

    wall, up = 1.8e9, 1000.0

    def pass_by(self, seconds: float) -> None:
        self.wall, self.up = self.wall + seconds, self.up + seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(time, "time", lambda: made.wall)
    for module in (ending, recording):
        monkeypatch.setattr(module, "_monotonic", lambda: made.up, raising=False)
    monkeypatch.setattr(recording, "_now", lambda: made.wall)
    return made


@pytest.fixture
def run(clocks: Clocks, tmp_path: Path) -> Iterator[Recording]:
    """A run whose companion is not there, as on a file system without locks or on Windows."""
    made = Recording(tmp_path / "run.tdx", 1.0)
    made.companion.remove()
    made.writer.flush()
    yield made
    made.close("ok")


@pytest.mark.parametrize("jump", [HOUR, 61.0, -HOUR, -61.0, -1.8e9], ids=str)
def test_a_jump_neither_kills_a_run_nor_revives_one(run: Recording, clocks: Clocks, jump: float) -> None:
    clocks.wall += jump
    clocks.pass_by(HEARTBEAT_SECONDS)
    assert "exit" not in load(run.writer.path).facts
    clocks.pass_by(STALE_SECONDS)
    assert load(run.writer.path).facts["exit"] == "killed"


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=str)
def test_heartbeats_go_on_after_a_jump(run: Recording, clocks: Clocks, jump: float) -> None:
    clocks.wall += jump
    clocks.pass_by(STALE_SECONDS)
    run.writer.flush()
    assert load(run.writer.path).facts["heartbeat"] == clocks.wall
    assert "exit" not in load(run.writer.path).facts


def test_no_run_outlives_its_machine(run: Recording, clocks: Clocks) -> None:
    clocks.up = 20.0
    assert load(run.writer.path).facts["exit"] == "killed"


@pytest.mark.parametrize("pulse", [None, {}, {"clock": "another", "seconds": 0}, {"seconds": "1"}, []], ids=str)
def test_elsewhere_the_heartbeat_tells(clocks: Clocks, tmp_path: Path, pulse: Any) -> None:
    facts = {"started": clocks.wall, "heartbeat": clocks.wall, "pulse": pulse}
    clocks.pass_by(STALE_SECONDS - 1)
    assert "exit" not in with_ending(facts, str(tmp_path / "run.tdx"))
    clocks.pass_by(2)
    assert with_ending(facts, str(tmp_path / "run.tdx"))["exit"] == "killed"


def test_a_rank_that_still_writes_keeps_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / f"{ranks.PREFIX}job"
    folder.mkdir()
    companion = Companion(ranks.record_of(folder, 1))
    os.utime(folder, (0, time.time() - 2 * ranks.STALE))
    ranks.remove_stale(tmp_path)
    assert folder.exists()
    companion.remove()
    os.utime(folder, (0, time.time() - 2 * ranks.STALE))
    ranks.remove_stale(tmp_path)
    assert not folder.exists()
