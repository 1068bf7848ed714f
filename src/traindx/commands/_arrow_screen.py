"""Questions with arrow keys, by the package questionary (`pip install "traindx[ask]"`)."""

from __future__ import annotations

from typing import Any

import questionary

from ..reports.layout import fold
from ..wording import clean
from ._output import terminal_look
from ._screens import Back, Leave, Reply, TypingScreen

SKIP, BACK, DONE = "\0skip", "\0back", "\0done"
KEYS = "(arrows, Enter)"
MARKS = "(Space marks, Enter continues)"
STYLE = questionary.Style([("instruction", "fg:ansibrightblack"), ("pointer", "bold"), ("highlighted", "bold")])
FRAME = 6  # columns that questionary puts before an option


class ArrowScreen(TypingScreen):
    def ask(self, question: dict[str, Any]) -> Reply:
        self._show(question)
        if question["kind"] == "several":
            return self._several(question)
        if question["kind"] == "choice":
            return self._choice(question)
        return self._text(question)

    def _show(self, question: dict[str, Any]) -> None:
        """The question, folded to the terminal: prompts themselves stay on one line."""
        number = f"{question['number']}  " if question["number"] else ""
        questionary.print("")
        self._lines(f"{number}{question['ask']}", "bold")
        self._lines(f"Why I ask: {question['why']}")
        self._lines(f"How to find out: {question['how']}")

    def _lines(self, text: str, style: str = "fg:ansibrightblack") -> None:
        for line in fold(clean(text), _width()):
            questionary.print(line, style=style)

    def refuse(self, reason: str) -> None:
        self._lines(f"{reason[:1].upper() + reason[1:]}.", "bold")

    def note(self, text: str) -> None:
        self._lines(text, "")

    def choose(self, title: str, options: list[tuple[str, str]]) -> str:
        choices = [_option(key, label) for key, label in options]
        return str(questionary.select(title, choices, instruction=KEYS, style=STYLE, qmark="?").unsafe_ask())

    def line(self, title: str) -> str:
        return str(questionary.text(title, style=STYLE).unsafe_ask()).strip()

    def _several(self, question: dict[str, Any]) -> Reply:
        choices = [_option(option["key"], option["label"]) for option in question["options"]]
        chosen = questionary.checkbox("You see", choices, instruction=MARKS, style=STYLE).unsafe_ask()
        return [str(key) for key in chosen]

    def _choice(self, question: dict[str, Any]) -> Reply:
        choices: list[Any] = [_option(option["key"], option["label"]) for option in question["options"]]
        typed = "\0typed"
        if question["hint"]:
            choices.append(questionary.Choice("Type it", typed))
        choices += [
            questionary.Separator(),
            questionary.Choice("Skip", SKIP),
            questionary.Choice("Back", BACK),
            questionary.Choice("That is all I know: conclude", DONE),
        ]
        chosen = str(questionary.select("Answer", choices, instruction=KEYS, style=STYLE).unsafe_ask())
        return self._text(question) if chosen == typed else _meant(chosen)

    def _text(self, question: dict[str, Any]) -> Reply:
        self._lines(f"({question['hint']}; an empty line skips)")
        if question["kind"] == "paste":  # by the terminal itself, which takes any number of pasted lines
            return self.lines()
        said = questionary.text("Answer", style=STYLE).unsafe_ask()
        word = str(said).strip()
        return _meant({"done": DONE, "back": BACK}.get(word.lower(), word))


def _width() -> int:
    return int(terminal_look()["width"])


def _option(key: str, label: str) -> questionary.Choice:
    """An option whose label is folded, with its further lines below the first."""
    return questionary.Choice(f"\n{' ' * FRAME}".join(fold(clean(label), max(20, _width() - FRAME))), key)


def _meant(chosen: str) -> str:
    if chosen == DONE:
        raise Leave
    if chosen == BACK:
        raise Back
    return "" if chosen == SKIP else chosen
