"""How questions are asked: with arrow keys if the terminal and the package questionary allow it, else by typing."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any, Protocol

Reply = str | list[str]


class Leave(Exception):
    """The user wants to end the questions."""


class Back(Exception):
    """The user wants to answer the last question again."""


class Screen(Protocol):
    can_offer: bool  # whether a user is present who can choose a command at the end

    def ask(self, question: dict[str, Any]) -> Reply:
        """The reply; empty to skip. Raises `Leave`, `Back` or KeyboardInterrupt."""

    def refuse(self, reason: str) -> None:
        """Show why a reply cannot be used."""

    def note(self, text: str) -> None:
        """Show a text."""

    def choose(self, title: str, options: list[tuple[str, str]]) -> str:
        """One of `options` (key, label); empty for none."""

    def line(self, title: str) -> str:
        """One line of text; empty for none."""


def choose_screen(plain: bool) -> Screen:
    from .typing_screen import TypingScreen

    somebody = sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    if plain or not somebody or os.environ.get("TERM") == "dumb" or find_spec("questionary") is None:
        return TypingScreen(somebody and not plain, sys.stdin.isatty())
    from .arrow_screen import ArrowScreen

    return ArrowScreen()
