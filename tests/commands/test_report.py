"""`traindx report` and the page as a format of `diagnose`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    rows = [f"{step},{2 * 0.97**step:.5f},{0.5 + 2 * 0.95**step + 0.01 * step:.5f}" for step in range(120)]
    path = tmp_path / "metrics.csv"
    path.write_text("\n".join(["step,loss,val_loss", *rows]), encoding="utf-8")
    return path


def test_a_page_is_written_and_named(log: Path, traindx_: Any) -> None:
    told = traindx_("report", log)
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("report.html (")
    assert "metrics.csv" in Path("report.html").read_text(encoding="utf-8")


def test_only_a_page_of_ours_is_overwritten_unasked(log: Path, traindx_: Any) -> None:
    assert [traindx_("report", log).code for _ in range(2)] == [0, 0]
    Path("report.html").write_text("my own work")
    told = traindx_("report", log)
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert Path("report.html").read_text() == "my own work"


def test_one_bad_file_does_not_hide_the_others(log: Path, traindx_: Any) -> None:
    told = traindx_("report", "absent.csv", log)
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "metrics.csv" in Path("report.html").read_text(encoding="utf-8")


def test_diagnose_writes_the_same_page(log: Path, traindx_: Any) -> None:
    traindx_("report", log, "-o", "a.html")
    page = Path("a.html").read_text(encoding="utf-8")
    assert traindx_("diagnose", log, "-o", "b.html").code == 0
    assert Path("b.html").read_text(encoding="utf-8") == page
    assert traindx_("diagnose", log, "--format", "html").out == page


def test_what_cannot_be_read_or_written_is_one_line(log: Path, traindx_: Any) -> None:
    told = traindx_("report", "absent.csv")
    assert (told.code, told.err.count("\n")) == (2, 1)
    told = traindx_("report", log, "-o", "no/such/folder.html")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "cannot be written" in told.err


@pytest.mark.parametrize("verb", ["report", "diagnose", "compare"])
def test_what_is_read_is_never_written_over(log: Path, traindx_: Any, verb: str) -> None:
    before = log.read_bytes()
    Path("link.csv").symlink_to(log)
    for output in ("metrics.csv", "./metrics.csv", "link.csv"):
        told = traindx_(verb, log, log, "-o", output)
        assert (told.code, told.err.count("\n")) == (2, 1)
        assert log.read_bytes() == before
    for name in ("run.tdx", "train.py"):
        Path(name).write_text("mine")
        assert traindx_(verb, log, "-o", name).code == 2
        assert Path(name).read_text() == "mine"


def test_treat_checks_where_it_writes_before_it_runs_anything(log: Path, traindx_: Any) -> None:
    Path("train.py").write_text("mine = 1")
    for output in ("train.py", "no/such/folder.html"):
        told = traindx_("treat", "-o", output, "train.py")
        assert (told.code, told.err.count("\n")) == (2, 1)
    assert Path("train.py").read_text() == "mine = 1"
    assert traindx_("treat", "--minutes", "nan", "train.py").code == 2


def test_live_refuses_what_it_cannot_read_before_it_serves(log: Path, traindx_: Any) -> None:
    for words in (["absent.tdx"], [log, "--port", "0"], [log, "--on-alert", " "], [log, "--on-alert", "http://["]):
        told = traindx_("live", *words)
        assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
