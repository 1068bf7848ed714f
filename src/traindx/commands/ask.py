"""Say what you see, answer a few questions, and get the likely causes.

For trainings without a record. There are at most eight questions, first those
that every guide asks, then the most informative; each can be skipped, and each
says why it is asked and how to find the answer. The answer names the condition,
its likely causes with how often public cases had them, what to do now, and one
command. Where nothing is understood, nothing is diagnosed.

  traindx ask                        the interview
  traindx ask RUN|LOG                start from what a record or log shows
  traindx ask the loss turns nan     in your own words
  traindx ask --answers FILE.toml    read the answers from a file (- for
                                     standard input) and ask nothing
  traindx ask --questions            print all questions as a file to fill in
  traindx ask --resume FILE          keep the interview in FILE, or continue it

Type the number or a few letters of an answer. An empty line skips, "back"
returns to the last question, "done" ends the questions. Ctrl-C loses nothing.

Exit codes: 0; 2 if an input cannot be read; 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._output import terminal_look
from ._say import say

if TYPE_CHECKING:
    from ..consult.interview import State

HELP = "an interview: what you see, a few questions, the likely causes"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("about", nargs="*", metavar="RUN|LOG|WORDS", help="a record, a log, or what happens in words")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="read the answers from a TOML file; ask nothing")
    parser.add_argument("--questions", action="store_true", help="print every question as a TOML file to fill in")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep the interview in FILE, or continue it")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--plain", action="store_true", help="ask by typing, without arrow keys")
    parser.add_argument("--why", action="store_true", help="also the path, every cause, all measures, and when to stop")


def run(arguments: argparse.Namespace) -> int:
    from ._interview import Keeping, answers_in, hold, offer, template
    from ._screens import choose_screen

    if arguments.questions:
        say(template())
        return 0
    keeping = Keeping(arguments.resume)
    state = keeping.load() or _begun(arguments.about)
    if arguments.answers is not None:
        state = answers_in(arguments.answers, state)
        keeping.save(state, only_if_named=True)
        _print(state, arguments)
        return 0
    screen = choose_screen(plain=arguments.plain or arguments.json)
    state = hold(state, screen, keeping)
    _print(state, arguments)
    keeping.finish()
    if screen.can_offer:
        return offer(state, screen)
    return 0


def _begun(about: list[str]) -> State:
    """A new interview. If the first word is a file, it starts from that; the other words describe the problem."""
    from ..consult import answer, begin

    source = about[0] if about and (Path(about[0]).exists() or _looks_like_file(about)) else None
    state = begin(source)
    words = " ".join(about[1:] if source else about)
    return answer(answer(state, "symptoms", ["other"]), "words", words) if words else state


def _looks_like_file(about: list[str]) -> bool:
    """Whether the only word has a suffix or a slash: then it is a mistyped file, not a description."""
    return len(about) == 1 and " " not in about[0] and (bool(Path(about[0]).suffix) or "/" in about[0])


def _print(state: State, arguments: argparse.Namespace) -> None:
    from ..consult.interview import consultation
    from ..consult.page import consultation_page
    from ..reports import Look

    found = consultation(state)
    if arguments.json:
        said: dict[str, Any] = found.as_object()
        say(json.dumps(said, indent=2, allow_nan=False))
        return
    look = terminal_look()
    say("", sys.stderr)
    say(consultation_page(found, Look(why=arguments.why, **look)))
