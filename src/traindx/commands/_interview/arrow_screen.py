"""Questions with arrow keys, by the package questionary (`pip install "traindx[ask]"`)."""

from __future__ import annotations

from typing import Any

import questionary

from ...reports.layout import fold
from ...wording import clean
from .._output import terminal_look
from .screens import Back, Leave, Reply

SKIP, BACK, DONE = "\0skip", "\0back", "\0done"
KEYS = "(arrows, Enter)"
MARKS = "(Space marks, Enter continues)"
PASTE = "(paste, then Esc and Enter; an empty answer skips)"
STYLE = questionary.Style([("instruction", "fg:ansibrightblack"), ("pointer", "bold"), ("highlighted", "bold")])


class ArrowScreen:
    can_offer = True

    def ask(self, question: dict[str, Any]) -> Reply:
        number = f"{question['number']}  " if question["number"] else ""
        self._dim("")
        self._dim(f"Why I ask: {question['why']}")
        self._dim(f"How to find out: {question['how']}")
        title = f"{number}{question['ask']}"
        if question["kind"] == "several":
            return self._several(title, question)
        if question["kind"] == "choice":
            return self._choice(title, question)
        return self._text(title, question)

    def _dim(self, text: str) -> None:
        for line in fold(clean(text), int(terminal_look()["width"])) or [""]:
            questionary.print(line, style="fg:ansibrightblack")

    def refuse(self, reason: str) -> None:
        questionary.print(f"{clean(reason[:1].upper() + reason[1:])}.", style="bold")

    def note(self, text: str) -> None:
        questionary.print(clean(text))

    def choose(self, title: str, options: list[tuple[str, str]]) -> str:
        choices = [questionary.Choice(label, key) for key, label in options]
        return str(questionary.select(title, choices, instruction=KEYS, style=STYLE, qmark="?").unsafe_ask())

    def line(self, title: str) -> str:
        return str(questionary.text(title, style=STYLE).unsafe_ask()).strip()

    def _several(self, title: str, question: dict[str, Any]) -> Reply:
        choices = [questionary.Choice(option["label"], option["key"]) for option in question["options"]]
        chosen = questionary.checkbox(title, choices, instruction=MARKS, style=STYLE).unsafe_ask()
        return [str(key) for key in chosen]

    def _choice(self, title: str, question: dict[str, Any]) -> Reply:
        choices: list[Any] = [questionary.Choice(option["label"], option["key"]) for option in question["options"]]
        typed = "\0typed"
        if question["hint"]:
            choices.append(questionary.Choice("Type it", typed))
        choices += [
            questionary.Separator(),
            questionary.Choice("Skip", SKIP),
            questionary.Choice("Back", BACK),
            questionary.Choice("That is all I know: conclude", DONE),
        ]
        chosen = str(questionary.select(title, choices, instruction=KEYS, style=STYLE).unsafe_ask())
        return self._text(title, question) if chosen == typed else _meant(chosen)

    def _text(self, title: str, question: dict[str, Any]) -> Reply:
        if question["kind"] == "paste":
            said = questionary.text(title, multiline=True, instruction=PASTE, style=STYLE).unsafe_ask()
        else:
            hint = f"({question['hint']}; empty skips) "
            said = questionary.text(title, instruction=hint, style=STYLE).unsafe_ask()
        word = str(said).strip()
        return _meant({"done": DONE, "back": BACK}.get(word.lower(), word))


def _meant(chosen: str) -> str:
    if chosen == DONE:
        raise Leave
    if chosen == BACK:
        raise Back
    return "" if chosen == SKIP else chosen
