"""`traindx report` and the page as a format of `diagnose`."""

from __future__ import annotations

import json
import re
import shlex
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


def test_a_page_of_many_runs_holds_the_worst_in_full_and_lists_the_others(
    tmp_path: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for number in range(60):
        rows = [f"{s},{'nan' if number % 12 == 5 and s > 60 else 0.3 + 2 * 0.95**s:.4}" for s in range(100)]
        path = tmp_path / "a sweep" / f"lr{number}" / "metrics.csv"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(["step,loss", *rows]))
    for verb in ("report", "diagnose"):
        assert traindx_(verb, tmp_path / "a sweep", "-o", tmp_path / f"{verb}.html").code == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == (tmp_path / "diagnose.html").read_text(encoding="utf-8"), "one page, whatever the verb"
    held = re.search(r'<script type="application/json" id="content">(.*?)</script>', text, re.DOTALL)
    assert held is not None
    content = json.loads(held[1])
    assert (len(content["reports"]), len(content["listed"])) == (20, 40)
    states = [one["verdict"]["state"] for one in (*content["reports"], *content["listed"])]
    assert states[:5] == ["sick"] * 5 and "sick" not in states[5:]
    names = {one["about"]["name"] for one in (*content["reports"], *content["listed"])}
    assert len(names) == 60
    command = shlex.split(content["listed"][-1]["command"])
    assert command[:2] == ["traindx", "report"] and Path(command[2]).is_file()
    assert len(text.encode()) < 1_000_000
