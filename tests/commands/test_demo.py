"""`traindx demo`, up to the training itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from traindx.commands import demo
from traindx.zoo import patient


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch, stand_in: Any) -> list[Path]:
    """Stands in for the training, which is tested where it lives; returns the scripts that it was given."""
    trained: list[Path] = []
    monkeypatch.setattr(demo, "_train", trained.extend)
    monkeypatch.setattr(
        demo,
        "_diagnosis",
        lambda script: stand_in(script.parent.name, "sick" if "sick" in script.parts else "fine"),
    )
    return trained


def test_the_default_patient_is_in_the_zoo() -> None:
    assert demo.DEFAULT in demo._causes()


def test_the_list_is_the_zoo_without_the_healthy(traindx_: Any) -> None:
    listed = traindx_("demo", "--list").out.split()
    assert demo.DEFAULT in listed
    assert "healthy" not in listed


def test_an_unknown_cause_gets_the_nearest(traindx_: Any) -> None:
    told = traindx_("demo", "missing-zerograd")
    assert told.code == 2
    assert told.err == "traindx demo: there is no demo of 'missing-zerograd': did you mean 'missing-zero-grad'?\n"


def test_patient_and_twin_are_trained_and_kept(traindx_: Any, untrained: list[Path], tmp_path: Path) -> None:
    told = traindx_("demo", demo.DEFAULT, "--keep", tmp_path)
    case = patient(demo.DEFAULT)
    assert told.code == 0
    assert [script.read_text(encoding="utf-8") for script in untrained] == [case.source, case.reference.source]
    assert str(tmp_path) in told.out


def test_files_of_others_are_left_alone(traindx_: Any, untrained: list[Path], tmp_path: Path) -> None:
    (tmp_path / "healthy").mkdir()
    mine = tmp_path / "healthy" / "train.py"
    mine.write_text("mine")
    told = traindx_("demo", demo.DEFAULT, "--keep", tmp_path)
    assert told.code == 2 and "contains other files" in told.err and mine.read_text() == "mine"
    mine.unlink()
    for _ in range(2):  # its own files may be made again
        assert traindx_("demo", demo.DEFAULT, "--keep", tmp_path).code == 0


def test_the_mistake_is_shown_and_a_miss_is_admitted(traindx_: Any, untrained: list[Path]) -> None:
    told = traindx_("demo", demo.DEFAULT)
    shown = {line.strip()[1:].strip() for line in told.out.splitlines() if line.startswith(("    +", "    -"))}
    case = patient(demo.DEFAULT)
    changed = set(case.source.splitlines()) ^ set(case.reference.source.splitlines())
    assert {line.strip() for line in changed} <= shown
    assert f"{demo.DEFAULT}: not found (the diagnosis led with lr-too-low)." in told.out
    assert not any(script.exists() for script in untrained)


def test_a_training_without_a_record_is_one_line(traindx_: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(scripts: list[Path]) -> None:
        for script in scripts:
            script.with_name("output.txt").write_text("first\nno room on the disk\n")

    monkeypatch.setattr(demo, "_train", crash)
    told = traindx_("demo")
    assert told.code == 2
    assert told.err == "traindx demo: the training left no record: no room on the disk\n"
