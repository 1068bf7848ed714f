"""Solved cases are kept for their owner only, survive company and damage, and are mentioned where they help."""

from __future__ import annotations

import json
import math
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from traindx.__main__ import main
from traindx.diagnosis import Diagnosis, Hypothesis
from traindx.history import Case, Effect, History, HistoryError, remember, with_similar_case
from traindx.history import store as store_module
from traindx.history.mention import similarity
from traindx.reports import render
from traindx.reports.json import SCHEMA_FILE
from traindx.signs import Sign

SIGNS = {"loss-inputs-are-probabilities": 1.0, "loss-at-floor": 0.8, "grads-kept": 0.0, "lr-constant": 1.0}


def case(**changes: Any) -> Case:
    usual = Case(
        script="train.py",
        signature=SIGNS,
        cause="double-softmax",
        intervention="logits",
        verdict="cured",
        fix="Remove the softmax in front of the loss.",
        effect=Effect("loss", 1.6, 0.2, (-1.5, -1.3)),
        patch="--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-a\n+b\n",
    )
    return replace(usual, **changes)


def diagnosis(levels: dict[str, float], cause: str = "double-softmax", verdict: str = "sick") -> Diagnosis:
    return Diagnosis(
        verdict=verdict, summary="It is sick.", source="new.tdx", kind="observed", steps=9, exit="ok", symptoms=[],
        hypotheses=[Hypothesis(cause, 0.9, "A title")], next_tests=[],
        signs={name: Sign(name, level, level, "A sign.") for name, level in levels.items()},
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the history of this test lies; commands find it there, too."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "traindx" / "history.sqlite"


def test_a_case_comes_back_as_it_was(path: Path) -> None:
    number = remember(case())
    assert History().cases() == [replace(case(), id=number, date=History().cases()[0].date)]


def test_only_the_owner_can_read_it(path: Path) -> None:
    remember(case())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_reading_creates_nothing(path: Path) -> None:
    assert History().cases() == [] and History().delete() == 0
    assert not path.parent.exists()


def test_what_may_be_private_is_masked(path: Path) -> None:
    secret = "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-api_key = 'sk-aaaaaaaaaaaa'\n+x = 1\n"
    remember(case(script="/home/me/private/train.py", fix="See https://host.example/me", patch=secret))
    kept = path.read_bytes()
    assert b"private" not in kept and b"sk-aaaa" not in kept and b"host.example" not in kept


def test_a_patch_too_long_is_left_out_whole(path: Path) -> None:
    remember(case(patch="+" + "x " * 20_000))
    assert History().cases()[0].patch is None


def test_values_that_are_not_finite_survive(path: Path) -> None:
    remember(case(effect=Effect("loss", math.nan, math.inf)))
    effect = History().cases()[0].effect
    assert math.isnan(effect.control) and effect.treated == math.inf


def test_the_same_fix_again_replaces_the_older_case(path: Path) -> None:
    remember(case())
    remember(case(effect=Effect("loss", 3.0, 0.1)))
    remember(case(script="other.py"))
    assert [(c.script, c.effect.control) for c in History().cases()] == [("other.py", 1.6), ("train.py", 3.0)]


def test_the_oldest_go_when_it_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MOST_CASES", 3)
    for i in range(5):
        remember(case(script=f"{i}.py"))
    assert [c.script for c in History().cases()] == ["4.py", "3.py", "2.py"]


def test_several_writers_lose_nothing(path: Path) -> None:
    program = (
        "import sys; from traindx.history import *\n"
        "for i in range(20): remember(Case(f'{sys.argv[1]}-{i}.py', {}, 'c', 'i', 'cured', 'f', Effect('loss', 1, 0)))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(n)]) for n in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(History().cases()) == 60


def test_a_newer_or_foreign_file_is_refused_and_kept(path: Path) -> None:
    remember(case())
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    before = path.read_bytes()
    for use in (History().cases, lambda: remember(case()), History().delete):
        with pytest.raises(HistoryError, match="newer traindx"):
            use()
    assert path.read_bytes() == before
    path.write_bytes(b"my thesis, not a database")
    with pytest.raises(HistoryError, match="cannot be"):
        remember(case())
    assert path.read_bytes() == b"my thesis, not a database"


def test_a_damaged_row_is_left_out(path: Path) -> None:
    remember(case())
    connection = sqlite3.connect(path)
    for data in ("no json", "[]", '{"script": 3}', json.dumps({**case().as_object(), "signature": {"a": "high"}})):
        connection.execute("INSERT INTO cases (script, cause, fix, data) VALUES ('s', 'c', 'f', ?)", (data,))
    connection.commit()
    connection.close()
    assert [c.cause for c in History().cases()] == ["double-softmax"]


def test_runs_are_similar_by_what_both_show() -> None:
    seen = {"loss-inputs-are-probabilities": 1.0}
    assert similarity(SIGNS, seen) == 1.0  # signs that one of them did not measure are not compared
    assert similarity(SIGNS, {**seen, "grads-kept": 1.0}) == pytest.approx(0.5)
    assert similarity({"loss-plateau": 1.0}, {"loss-plateau": 1.0}) == 0.0  # one weak sign says nothing
    assert similarity({"lr-constant": 1.0}, {"lr-constant": 1.0}) == 0.0  # nor do settings
    assert similarity({}, SIGNS) == 0.0


def test_a_similar_case_is_mentioned_and_changes_nothing_else(path: Path) -> None:
    number = remember(case())
    plain = diagnosis(SIGNS)
    told = with_similar_case(plain)
    assert told.similar is not None and replace(told, similar=None) == plain
    text = " ".join(render(told).split())
    assert f"(traindx history show {number})" in text
    assert "SIMILAR CASE train.py" in text and "Remove the softmax" in text and "loss 1.6 → 0.2" in text
    report = json.loads(render(told, "json"))
    Draft202012Validator(json.loads(SCHEMA_FILE.read_text())).validate(report)
    assert report["similar_case"]["id"] == number and report["similar_case"]["similarity"] == 1.0
    assert "Remove the softmax" in render(told, "markdown")


@pytest.mark.parametrize(
    ("levels", "cause", "verdict"),
    [
        (SIGNS, "lr-too-high", "sick"),  # this run's own signs exclude the case's cause
        (SIGNS, "double-softmax", "healthy"),
        ({"grads-kept": 1.0, "loss-inputs-are-probabilities": 0.0}, "double-softmax", "sick"),
        ({}, "double-softmax", "sick"),
    ],
)
def test_nothing_is_mentioned_where_it_would_mislead(path: Path, levels: Any, cause: str, verdict: str) -> None:
    remember(case())
    assert with_similar_case(diagnosis(levels, cause, verdict)).similar is None


def test_an_empty_or_broken_history_leaves_the_diagnosis_alone(path: Path) -> None:
    plain = diagnosis(SIGNS)
    assert with_similar_case(plain) is plain
    assert "similar_case" not in json.loads(render(plain, "json")) and "SIMILAR" not in render(plain)
    path.parent.mkdir()
    path.write_bytes(b"broken" * 1000)
    assert with_similar_case(plain) is plain


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["history", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_verb_lists_searches_and_shows(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys)[:2] == (0, "No case has been kept yet: traindx treat keeps the cases that it solves.\n")
    first = remember(case())
    second = remember(case(script="gan.py", cause="lr-too-high", fix="Lower the learning rate from 1 to 0.1."))
    lines = told(capsys)[1].splitlines()
    assert [line.split()[0] for line in lines] == [str(second), str(first)]
    assert "gan.py" in told(capsys, "search", "learning", "LOWER")[1]
    assert told(capsys, "search", "probabilities", "softmax")[1].split()[0] == str(first)
    assert told(capsys, "search", "xyzzy")[0] == 1
    shown = told(capsys, "show", str(first))[1]
    assert "-a\n+b" in shown and "loss-inputs-are-probabilities" in shown and "grads-kept" not in shown
    assert json.loads(told(capsys, "show", str(first), "--format", "json")[1])["cause"] == "double-softmax"


def test_the_verb_exports_and_deletes(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = remember(case(effect=Effect("loss", math.nan, 0.1))), remember(case(script="b.py"))
    target = tmp_path / "cases.json"
    assert told(capsys, "export", str(target))[:2] == (0, f"{target} contains 2 cases.\n")
    exported = json.loads(target.read_text(), parse_constant=pytest.fail)
    assert [entry["id"] for entry in exported] == [second, first] and exported[1]["effect"]["control"] == "NaN"
    assert told(capsys, "export", str(target))[0] == 2  # never over another file
    assert told(capsys, "delete", str(first))[1] == "Deleted 1 case.\n"
    assert [c.id for c in History().cases()] == [second]
    assert told(capsys, "delete", "--all")[1] == "Deleted 1 case.\n"
    assert History().cases() == []


@pytest.mark.parametrize(
    "words", [["show"], ["show", "7"], ["show", "x"], ["delete"], ["delete", "9"], ["delete", "1", "--all"],
              ["export"], ["search"], ["list", "x"], ["frobnicate"]],
)  # fmt: skip
def test_a_wrong_use_is_one_line(path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    remember(case())
    code, out, err = told(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert len(History().cases()) == 1
