"""`traindx ask` in a real terminal: arrow keys, pasting, Ctrl-C, and typing where there are no arrow keys."""

from __future__ import annotations

import os
import sys

import pytest

from traindx.consult.questions import all_questions

pexpect = pytest.importorskip("pexpect")
pytest.importorskip("questionary")

DOWN, ENTER, UP = "\x1b[B", "\r", "\x1b[A"


@pytest.fixture
def terminal(tmp_path):
    started = []

    def start(*words, term="xterm", columns=90, rows=50, script=None):
        outer = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        environment = {**outer, "XDG_STATE_HOME": str(tmp_path / "state"), "TERM": term, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, script, *words] if script else [sys.executable, "-m", "traindx", "ask", *words]
        child = pexpect.spawn(
            command[0],
            command[1:],
            cwd=tmp_path,
            env=environment,
            encoding="utf-8",
            timeout=120,
            dimensions=(rows, columns),
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
    child.send(DOWN * 7 + " " + ENTER)
    child.expect("What are the last training and validation numbers")
    child.expect("Answer")
    child.send("loss 0.1 3" + ENTER)
    child.expect("How many training samples")
    child.expect("Answer")
    child.send("done" + ENTER)
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
    child.expect("Answer")
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
    child.expect("NaN/Inf, by what you said")
    child.expect("Shall I measure")
    child.expect("> ")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


# Pasting, typing, choosing or typing, and the longest options.
KINDS = ("losses", "optimizer", "norms", "parameters", "when")
EVERY_SCREEN = """
import sys
from traindx.commands._arrow_screen import ArrowScreen
from traindx.commands._screens import choose_screen
from traindx.consult.interview import shown
from traindx.consult.questions import all_questions

screen = choose_screen(plain=False)
assert isinstance(screen, ArrowScreen)
for question in map(all_questions().get, sys.argv[1:]):
    print("ASKED", question.id, flush=True)
    screen.ask(shown(question))
    print("ANSWERED", question.id, flush=True)
"""


@pytest.fixture
def screen_of():
    """A terminal for a child: feeds its output to a screen until that shows some texts."""
    pyte = pytest.importorskip("pyte")

    def attached(child):
        rows, columns = child.getwinsize()
        screen = pyte.Screen(columns, rows)
        screen.write_process_input = child.send  # answers where the cursor is, as terminals do
        stream = pyte.Stream(screen)

        def until(*texts, after=""):
            """Returns once all texts are shown behind `after`. A prompt is drawn anew when the terminal has said
            where its cursor is, so it may be incomplete at first."""
            while True:
                # A word that the terminal breaks at its edge has a space in the middle here.
                shown = " ".join(" ".join(screen.display).split())
                if after in shown and all(text in shown[shown.index(after) :] for text in texts):
                    return
                stream.feed(child.read_nonblocking(4096, timeout=120))

        return until

    return attached


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_every_kind_of_question_can_be_seen_and_answered_at_any_width(terminal, screen_of, columns, tmp_path):
    (tmp_path / "screens.py").write_text(EVERY_SCREEN)
    child = terminal(*KINDS, script="screens.py", columns=columns, rows=200)
    until = screen_of(child)
    for question in map(all_questions().get, KINDS):
        # Only a prompt that is drawn reads keys by itself. What is typed earlier is echoed into the text above it.
        prompt = "That is all I know: conclude" if question.options else "an empty line skips) ? Answer"
        prompt = "an empty line skips) >" if question.many_lines else prompt
        texts = (question.ask, question.why, question.how, *(option.label for option in question.options))
        until(prompt, *(" ".join(text.split()) for text in texts), after=f"ASKED {question.id}")
        child.send(ENTER)
        until(f"ANSWERED {question.id}")


def test_a_terminal_without_a_size_is_asked_by_typing(terminal):
    child = terminal("my loss is nan", columns=0, rows=0)
    child.expect("At which step was the first NaN")
    child.expect("> ")
    child.sendline("done")
    child.expect("NaN/Inf, by what you said")


def test_the_first_answer_to_words_that_say_nothing_is_a_list_of_symptoms(terminal):
    child = terminal("banana")
    child.expect("I did not understand 'banana'")
    child.expect("vanish")
    child.expect("memory grows")
