"""`treat --apply` writes what was proven, and nothing else; solved cases are remembered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loops import classifier

from traindx import treatments
from traindx.__main__ import main
from traindx.diagnosis import Diagnosis
from traindx.history import History
from traindx.probes.launch import Script

Write = Callable[..., Script]
SICK = classifier(optimizer="Adam(model.parameters(), lr=2.0)  # my own comment")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.fixture(scope="module")
def proven() -> dict[str, Diagnosis]:
    """The diagnosis of the sick script, made once for all tests."""
    return {}


@pytest.fixture
def treated(proven: dict[str, Diagnosis], monkeypatch: pytest.MonkeyPatch) -> None:
    """Treats a script once; the same diagnosis serves the other tests."""
    really = treatments.treat

    def once(script: Script, options: Any) -> Diagnosis:
        if "found" not in proven:
            proven["found"] = really(script, options)
        return proven["found"]

    monkeypatch.setattr(treatments, "treat", once)


def lines(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_a_proven_patch_is_written_and_run(
    script: Write, in_process: None, treated: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = Path(script(SICK).path)
    before = patient.read_text()
    assert main(["treat", "--apply", str(patient)]) == 0
    said = lines(capsys)
    after = patient.read_text()
    assert after != before and "lr=2.0" not in after and "# my own comment" in after
    assert len(after.splitlines()) == len(before.splitlines())
    assert "the patched script behaves like the trial" in said
    (copy,) = (tmp_path / "XDG_STATE_HOME").rglob("*.py")
    assert copy.read_text() == before and str(copy.parent) in said
    (case,) = History().cases()
    assert (case.cause, case.script, case.verdict) == ("lr-too-high", "train.py", "cured")
    assert case.effect.treated < case.effect.control and case.patch and case.signature


def test_without_apply_nothing_is_written(
    script: Write, in_process: None, treated: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = Path(script(SICK).path)
    before = patient.read_bytes()
    assert main(["treat", "--no-history", str(patient)]) == 0
    assert patient.read_bytes() == before
    assert History().cases() == []
    assert main(["treat", "--force", str(patient)]) == 2


def test_a_file_edited_during_the_trials_is_left_alone(
    script: Write, in_process: None, treated: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = Path(script(SICK).path)
    once = treatments.treat

    def edited_meanwhile(given: Script, options: Any) -> Diagnosis:
        found = once(given, options)
        patient.write_text(patient.read_text() + "\n\n\n\n# edited\n")
        return found

    monkeypatch.setattr(treatments, "treat", edited_meanwhile)
    assert main(["treat", "--apply", str(patient)]) == 1
    assert "changed since the run" in lines(capsys)
    assert patient.read_text().endswith("# edited\n") and "lr=2.0" in patient.read_text()


def test_a_patch_that_breaks_the_script_is_reported(
    script: Write, in_process: None, treated: None, proven: dict[str, Diagnosis], capsys: pytest.CaptureFixture[str]
) -> None:
    """The trial acted on the very number; a patch that writes another one must not pass for it."""
    patient = Path(script(SICK).path)
    found = proven["found"]
    assert found.treatment is not None and found.treatment.patch is not None
    written = re.search(r"^\+.*lr=([\d.e-]+)", found.treatment.patch, re.MULTILINE)
    assert written is not None
    patch = found.treatment.patch.replace(f"lr={written[1]}", "lr=3.0")
    proven["other"] = proven["found"]
    proven["found"] = replace(found, treatment=replace(found.treatment, patch=patch))
    try:
        assert main(["treat", "--apply", str(patient)]) == 1
    finally:
        proven["found"] = proven.pop("other")
    assert "does NOT behave like the trial" in lines(capsys)
    assert "lr=3.0" in patient.read_text()


def test_a_healthy_script_is_left_alone(script: Write, in_process: None, capsys: pytest.CaptureFixture[str]) -> None:
    patient = Path(script(classifier()).path)
    before = patient.read_bytes()
    assert main(["treat", "--apply", "--no-cache", str(patient)]) == 1
    assert "not applied: no cure was proven" in lines(capsys)
    assert patient.read_bytes() == before
    assert History().cases() == []
