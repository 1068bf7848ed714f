"""`traindx diagnose` of many logs: one table from several processes, kept answers, a Ray cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import traindx.readers
from traindx import spreading
from traindx.readers import read

LOGS = 30


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Logs of which every third ends in NaN, and a cache of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for number in range(LOGS):
        folder = tmp_path / "sweep" / f"lr{number}"
        folder.mkdir(parents=True)
        write(folder / "metrics.csv", broken=number % 3 == 0)
    (tmp_path / "sweep" / "notes.txt").write_text("step 1 loss 3.0\nstep 2 loss 2.0\n")
    (tmp_path / "sweep" / "lr1" / "damaged.json").write_text('{"log_history": 7}')
    return tmp_path / "sweep"


def write(path: Path, broken: bool) -> None:
    rows = [f"{s},{'nan' if broken and s > 60 else 0.3 + 2 * 0.95**s:.4}" for s in range(100)]
    path.write_text("\n".join(["step,loss", *rows]) + "\n")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """One process, and the names of the logs that it reads."""
    seen: list[str] = []

    def noted(path: Path, options: Any) -> Any:
        seen.append(path.parent.name)
        return read(path, options)

    monkeypatch.setattr(spreading.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(traindx.readers, "read", noted)
    yield seen


def test_many_logs_are_one_table_with_the_answers_that_each_gets_alone(traindx_: Any, sweep: Path) -> None:
    told = traindx_("diagnose", sweep, "--format", "jsonl")
    answers = [json.loads(line) for line in told.out.splitlines()]
    assert told.code == 0
    assert len(answers) == LOGS
    for answer in answers[:4]:
        alone = json.loads(traindx_("diagnose", answer["run"]["source"], "--format", "json").out)
        assert answer == alone
    table = traindx_("diagnose", sweep)
    lines = [line.split()[0] for line in table.out.splitlines() if line.startswith(("SICK", "HEALTHY", "UNCLEAR"))]
    assert len(lines) == LOGS
    assert lines[: LOGS // 3] == ["SICK"] * (LOGS // 3)
    assert "text beside other logs was not read (notes.txt)" in table.err
    assert f"traindx compare {sweep}" in table.out


def test_only_changed_logs_are_read_again(traindx_: Any, sweep: Path, here: list[str]) -> None:
    first = traindx_("diagnose", sweep)
    assert len(set(here)) == LOGS
    here.clear()
    assert traindx_("diagnose", sweep) == first
    assert here == []
    write(sweep / "lr4" / "metrics.csv", broken=True)
    (sweep / "new").mkdir()
    write(sweep / "new" / "metrics.csv", broken=False)
    again = traindx_("diagnose", sweep)
    assert sorted(here) == ["lr4", "new"]
    assert again.out.count("SICK") == first.out.count("SICK") + 1
    here.clear()
    traindx_("diagnose", sweep, "--step", "step")
    assert len(set(here)) == LOGS + 1, "other options are another question"
    here.clear()
    traindx_("diagnose", sweep, "--no-cache")
    assert len(set(here)) == LOGS + 1


def test_an_interrupted_survey_goes_on_where_it_was(
    traindx_: Any, sweep: Path, here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = traindx.readers.read

    def interrupted(path: Path, options: Any) -> Any:
        if len(here) >= 17:
            raise KeyboardInterrupt
        return noted(path, options)

    monkeypatch.setattr(traindx.readers, "read", interrupted)
    assert traindx_("diagnose", sweep).code == 130
    before = set(here)
    here.clear()
    monkeypatch.setattr(traindx.readers, "read", noted)
    traindx_("diagnose", sweep)
    assert 0 < len(set(here)) < LOGS
    assert before | set(here) == {f"lr{number}" for number in range(LOGS)}


def test_what_fails_a_build_and_what_is_no_log(traindx_: Any, sweep: Path) -> None:
    told = traindx_("diagnose", sweep, "nothing.csv", "--fail-on", "critical")
    assert told.code == 2
    assert "nothing.csv does not exist" in told.err
    assert told.err.count("failing on loss-not-finite") + told.err.count("failing on ") >= LOGS // 3
    assert traindx_("diagnose", sweep, "--fail-on", "critical").code == 1


def test_a_store_that_cannot_be_used_costs_only_time(
    traindx_: Any, sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Path(os.environ["XDG_CACHE_HOME"]) / "traindx" / "answers.sqlite"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no database" * 1000)
    assert traindx_("diagnose", sweep).code == 0


def test_a_ray_cluster_gives_the_same_table(traindx_: Any, sweep: Path) -> None:
    pytest.importorskip("ray")
    assert traindx_("diagnose", sweep, "--on", "ray", "--no-cache").out == traindx_("diagnose", sweep).out
    refused = traindx_("diagnose", sweep, "--on", "slurm")
    assert refused.code == 2
    assert "--on takes ray or ray://HOST:PORT" in refused.err
