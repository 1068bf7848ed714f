"""What -o writes is whole or not there at all, and a reader who leaves ends a command without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from traindx.commands import _output
from traindx.commands._say import CommandError


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("old")
    report.chmod(0o640)
    _output.write(report, "new")
    assert report.read_text() == "new" and report.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]


def test_a_new_file_may_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    kept = os.umask(0o027)
    try:
        _output.write(tmp_path / "report.md", "new")
    finally:
        os.umask(kept)
    assert (tmp_path / "report.md").stat().st_mode & 0o777 == 0o640


def test_what_fails_half_way_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report.md"
    report.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CommandError, match="No space left"):
        _output.write(report, "new")
    assert report.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target.md").write_text("old")
    (tmp_path / "link.md").symlink_to("target.md")
    _output.write(tmp_path / "link.md", "new")
    assert (tmp_path / "link.md").is_symlink() and (tmp_path / "target.md").read_text() == "new"


def test_a_device_is_written_to() -> None:
    _output.write(Path(os.devnull), "new")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("words", [["traindx", "explain"], ["traindx.zoo", "list"]])
def test_a_reader_who_leaves(words: list[str]) -> None:
    work = subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert work.stdout is not None and work.stderr is not None
    work.stdout.close()
    said = work.stderr.read().decode()
    work.stderr.close()
    assert work.wait() == 141 and said == ""
