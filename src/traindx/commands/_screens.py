"""How questions are asked: with arrow keys if the terminal and the package questionary allow it, else by typing."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

from ..reports.layout import fold
from ._output import terminal_look
from ._say import say

Reply = str | list[str]


class Leave(Exception):
    """The user wants to end the questions."""


class Back(Exception):
    """The user wants to answer the last question again."""


def choose_screen(plain: bool) -> TypingScreen:
    somebody = sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    simple = plain or os.environ.get("TERM", "dumb") == "dumb" or not _has_size()
    if simple or not somebody or find_spec("questionary") is None:
        return TypingScreen(somebody and not plain, sys.stdin.isatty())
    from ._arrow_screen import ArrowScreen

    return ArrowScreen()


def _has_size() -> bool:
    """Whether the terminal says how wide it is; arrow keys need a screen to draw on."""
    try:
        return min(os.get_terminal_size(sys.stdout.fileno())) > 0
    except (OSError, ValueError):
        return False


INDENT = "    "


class TypingScreen:
    """Questions by typing. `can_offer`: whether a user is present who can choose a command at the end."""

    def __init__(self, can_offer: bool = True, echo: bool = True) -> None:
        self.can_offer = can_offer
        self._interactive = echo

    def ask(self, question: dict[str, Any]) -> Reply:
        """The reply; empty to skip. Raises `Leave`, `Back` or KeyboardInterrupt."""
        self._show(question)
        if question["kind"] == "paste":
            return self.lines()
        said = self._read("> ").strip()
        if said.lower() in ("done", "quit", "exit", "q"):
            raise Leave
        if said.lower() == "back":
            raise Back
        return said

    def refuse(self, reason: str) -> None:
        self._fold(f"{reason[:1].upper()}{reason[1:]}.")

    def note(self, text: str) -> None:
        self._fold(text)

    def choose(self, title: str, options: list[tuple[str, str]]) -> str:
        """One of `options` (key, label); empty for none."""
        self._fold(title)
        for i, (_, label) in enumerate(options, 1):
            self._fold(label, f"{i:>3} ")
        said = self._read("> ").strip()
        if said.isdigit() and 1 <= int(said) <= len(options):
            return options[int(said) - 1][0]
        return said if said in [key for key, _ in options] else ""

    def line(self, title: str) -> str:
        return self._read(f"{title} ").strip()

    def _show(self, question: dict[str, Any]) -> None:
        say("", sys.stderr)
        number = f"{question['number']}  " if question["number"] else ""
        self._fold(f"{number}{question['ask']}")
        self._fold(question["why"], f"{INDENT}Why I ask: ")
        self._fold(question["how"], f"{INDENT}How to find out: ")
        for i, option in enumerate(question["options"], 1):
            self._fold(option["label"], f"{i:>3} ")
        if question["hint"]:
            self._fold(f"({question['hint']})", INDENT)

    def _fold(self, text: str, head: str = "") -> None:
        for i, line in enumerate(fold(text, int(terminal_look()["width"]) - len(head))):
            say((" " * len(head) if i else head) + line, sys.stderr)

    def lines(self) -> str:
        """Lines up to an empty one."""
        found: list[str] = []
        while True:
            try:
                said = self._read("> " if not found else "", more=bool(found))
            except Leave:
                if found:
                    break
                raise
            word = said.strip().lower()
            if not found and word in ("done", "quit", "exit", "q"):
                raise Leave
            if not found and word == "back":
                raise Back
            if not word or (not found and word in ("skip", "-")):
                break
            found.append(said)
        return "\n".join(found)

    def _read(self, prompt: str, more: bool = False) -> str:
        if self._interactive and not more:
            sys.stderr.write(prompt)
            sys.stderr.flush()
        said = sys.stdin.readline()
        if not said:
            raise Leave
        return said.rstrip("\n")
