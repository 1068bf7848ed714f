"""The verbs are tested against stand-ins for reading and diagnosing: what matters here is the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import traindx.commands._survey
import traindx.diagnosis
import traindx.readers
from traindx.__main__ import main
from traindx.diagnosis import Diagnosis, Hypothesis, NextTest
from traindx.readers import ReaderError
from traindx.signs import Sign


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def traindx_(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command line in this process."""

    def run(*words: object) -> Outcome:
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def stand_in() -> Callable[[str, str], Diagnosis]:
    """What to say of a run without diagnosing it."""
    return diagnosis_of


def diagnosis_of(source: str, word: str) -> Diagnosis:
    """What the stand-in says about a run called `word`."""
    sick = word in ("sick", "doubtful")
    severity = "critical" if word == "sick" else "warning"
    symptoms = [Sign("loss-plateau", 1.0, 1.0, "The loss is flat.", severity=severity)] if word != "fine" else []
    cause = "lr-too-low" if sick else "unknown" if symptoms else "healthy"
    return Diagnosis(
        verdict="sick" if sick else "inconclusive" if symptoms else "healthy",
        summary=f"This run is {word}.",
        source=source,
        kind="stand-in",
        steps=3,
        exit=None,
        symptoms=symptoms,
        hypotheses=[Hypothesis(cause, 0.9 if word == "sick" else 0.3, "A title")],
        next_tests=[NextTest("traindx run train.py", ["lr-too-low"])],
    )


@dataclass
class Named:
    source: str
    word: str

    def series(self, name: str) -> bool:
        return name == "loss/train"


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[Path]]:
    """Makes files of words, and has each word read as a run whose diagnosis follows from it."""

    def read(path: Path, options: Any = None) -> list[Any]:
        if not path.exists():
            raise ReaderError(f"{path} does not exist")
        return [Named(f"{path}", word) for word in path.read_text().split()]

    monkeypatch.setattr(traindx.readers, "read", read)
    for module in (traindx.diagnosis, traindx.commands._survey):
        monkeypatch.setattr(module, "diagnose", lambda run: diagnosis_of(run.source, run.word))
    monkeypatch.setattr(traindx.readers, "principal", lambda runs: runs[0])
    monkeypatch.chdir(tmp_path)

    def write(*words: str) -> list[Path]:
        paths = [tmp_path / f"{i}-{word.split()[0]}.log" for i, word in enumerate(words)]
        for path, word in zip(paths, words, strict=True):
            path.write_text(word)
        return paths

    return write
