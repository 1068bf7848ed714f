"""`traindx ask` in a real terminal: arrow keys, pasting, Ctrl-C, and typing where there are no arrow keys."""

from __future__ import annotations

import os
import sys

import pytest

pexpect = pytest.importorskip("pexpect")
pytest.importorskip("questionary")

DOWN, ENTER, UP = "\x1b[B", "\r", "\x1b[A"


@pytest.fixture
def terminal(tmp_path):
    started = []

    def start(*words, term="xterm"):
        environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TERM": term, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "traindx", "ask", *words]
        child = pexpect.spawn(
            command[0], command[1:], cwd=tmp_path, env=environment, encoding="utf-8", timeout=120, dimensions=(50, 90)
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def test_arrow_keys_lead_to_a_diagnosis(terminal):
    child = terminal()
    child.expect("What do you see")
    child.expect("in my own words")
    child.send(DOWN * 6 + " " + ENTER)
    child.expect("How does the validation loss compare")
    child.expect("conclude")
    child.send(DOWN + ENTER)
    child.expect(r"\b2  \w")
    listed = child.expect(["empty skips", "conclude"])
    child.send(UP + ENTER if listed else "done" + ENTER)
    child.expect("Overfitting")
    child.expect("Shall I measure it now")
    child.expect("Not now")
    child.send(UP + ENTER)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


def test_ctrl_c_says_how_to_go_on(terminal):
    child = terminal()
    child.expect("in my own words")
    child.send(DOWN * 3 + " " + ENTER)
    child.expect("conclude|paste")
    child.sendintr()
    child.expect("To continue: traindx ask --resume")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


def test_a_terminal_without_arrow_keys_is_asked_by_typing(terminal):
    child = terminal("my loss is nan", term="dumb")
    child.expect("Why I ask")
    child.expect("> ")
    child.sendline("done")
    child.expect("SICK")
    child.expect("Shall I measure")
    child.expect("> ")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
