"""`run --prove` goes on to treat, and `treat RUN` takes the script from a record."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loops import classifier

from traindx import treatments
from traindx.__main__ import main
from traindx.commands import _launching
from traindx.diagnosis import Diagnosis, Hypothesis
from traindx.probes.launch import Script

SICK = "import sys\n" + classifier(optimizer="Adam(model.parameters(), lr=2.0)") + "print('last words', sys.argv[1:])\n"


def traindx(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "traindx", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """Runs the sick script, and returns its record."""

    def make(*args: str) -> Path:
        (tmp_path / "train.py").write_text(SICK)
        done = traindx("run", "--no-diagnosis", "--out", "run.tdx", "train.py", *args, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return tmp_path / "run.tdx"

    return make


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Script, Path]]:
    """Which script would be treated, and in which folder."""
    found: list[tuple[Script, Path]] = []

    def treat(script: Script, options: Any) -> Diagnosis:
        found.append((script, Path.cwd()))
        raise treatments.treating.ProbeError("far enough")

    monkeypatch.setattr(treatments, "treat", treat)
    return found


def test_a_run_that_is_only_suspected_is_proven_at_once(tmp_path: Path) -> None:
    """The script's own output and exit code stay as they are; what treat says goes to stderr."""
    (tmp_path / "train.py").write_text(SICK)
    done = traindx("run", "--prove", "--out", "run.tdx", "train.py", "an argument", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout == "last words ['an argument']\n"
    assert "proven by experiment" in done.stderr
    assert "+" in done.stderr and "lr=2.0" in done.stderr, "the patch is shown"
    assert (tmp_path / "train.py").read_text() == SICK


@pytest.mark.parametrize(
    ("verdict", "basis", "suspected", "goes_on"),
    [
        ("sick", "suspected", False, True),
        ("inconclusive", "suspected", True, True),
        ("sick", "seen", False, False),
        ("healthy", "suspected", False, False),
    ],
)
def test_only_a_suspicion_is_worth_proving(verdict: Any, basis: Any, suspected: bool, goes_on: bool) -> None:
    hypothesis = Hypothesis("lr-too-high", 0.9, "Learning rate too high")
    hypotheses = [replace(hypothesis, basis=basis)]
    found = Diagnosis(
        source="train.py", kind="observed", verdict=verdict, summary="", steps=9, exit="ok", symptoms=[],
        hypotheses=hypotheses, next_tests=[], suspected=suspected,
    )  # fmt: skip
    assert _launching.rests_on_suspicion(found) is goes_on


def test_proving_hands_module_and_arguments_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []

    def run(words: list[str], **options: Any) -> Any:
        called.append((words[1:], options["cwd"]))
        return subprocess.CompletedProcess(words, 0, b"what treat says\n")

    monkeypatch.setattr(_launching.subprocess, "run", run)
    said = io.StringIO()
    _launching.prove("package.train", ["--lr", "2"], True, tmp_path, said)
    assert called == [(["-m", "traindx", "treat", "-m", "package.train", "--lr", "2"], tmp_path)]
    assert said.getvalue() == "what treat says\n"


def test_a_record_leads_to_its_script(
    record: Any, asked: list[tuple[Script, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record("--epochs", "3")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["treat", str(path)]) == 2  # where the fixture ends it
    ((script, folder),) = asked
    assert (folder / script.path).resolve() == tmp_path / "train.py"
    assert (script.args, script.module, folder) == (("--epochs", "3"), False, tmp_path)


def test_a_record_of_a_sick_run_is_treated(
    record: Any, in_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = record()
    monkeypatch.chdir(tmp_path)
    assert main(["treat", "--format", "json", "--no-history", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)["treatment"]
    assert (found["verdict"], found["cause"]) == ("cured", "lr-too-high")
    assert "-optimizer = torch.optim.Adam(model.parameters(), lr=2.0)" in found["patch"].splitlines()


def test_a_record_whose_script_has_changed_is_refused(
    record: Any, asked: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = record()
    (tmp_path / "train.py").write_text(SICK.replace("loss.backward()", "pass"))
    assert main(["treat", str(path)]) == 2
    assert "is missing or has changed" in capsys.readouterr().err
    assert not asked


def test_masked_arguments_are_not_guessed(record: Any, asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    path = record("--token", "secret")
    assert main(["treat", str(path)]) == 2
    said = capsys.readouterr().err
    assert "masks arguments" in said and "secret" not in said
    assert not asked


def test_a_record_brings_its_own_arguments(record: Any, asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["treat", str(record()), "--lr", "3"]) == 2
    assert "a record has its own arguments" in capsys.readouterr().err
    assert not asked
