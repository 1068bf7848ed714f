"""What a terminal gets: its width, colours where they are wanted, and one command at the end."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))
from made_runs import write_csv

ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def in_terminal(words: list[str], columns: int, folder: Path, **environment: str) -> str:
    """The output of a command in a terminal of its own."""
    import fcntl
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")}
    process = subprocess.Popen(
        [sys.executable, "-m", "traindx", *words], stdin=follower, stdout=follower, stderr=follower, cwd=folder,
        env={**kept, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip
    os.close(follower)
    held = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        held += piece
    process.wait()
    os.close(leader)
    return held.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_csv(folder / "broken.csv", 0.5, broken=True)
    return folder


@pytest.mark.parametrize("columns", [60, 120, 200])
def test_the_width_of_the_terminal_is_used(columns: int, folder: Path) -> None:
    page = ESCAPE.sub("", in_terminal(["diagnose", "broken.csv"], columns, folder))
    lines = page.splitlines()
    assert lines[0] == "" and lines[1].startswith("SICK")
    code = re.compile(r"torch|keras|#")
    folded = [line for line in lines if not code.search(line)]
    assert columns - 30 < max(map(len, folded)) <= columns or max(map(len, folded)) >= 100
    assert max(map(len, folded)) <= columns
    assert lines[-1].strip().startswith("traindx ")


def test_a_terminal_gets_colours_and_no_color_takes_them_away(folder: Path) -> None:
    assert "\x1b[1;31mSICK" in in_terminal(["diagnose", "broken.csv"], 80, folder)
    assert "\x1b[" not in in_terminal(["diagnose", "broken.csv"], 80, folder, NO_COLOR="1")
    assert "\x1b[" not in in_terminal(["diagnose", "broken.csv"], 80, folder, NO_COLOR="1", FORCE_COLOR="1")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"CLICOLOR_FORCE": "1"}, True), ({"CLICOLOR_FORCE": "0"}, False),
     ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False), ({"FORCE_COLOR": "", "NO_COLOR": ""}, False)],
)  # fmt: skip
def test_a_pipe_gets_colours_only_when_forced(
    environment: dict[str, str], coloured: bool, folder: Path, traindx_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    told = traindx_("diagnose", folder / "broken.csv")
    assert ("\x1b[" in told.out) == coloured
    assert told.out.lstrip("\x1b[0123456789;m").startswith("SICK")
