"""What a question is, and how its answer enters the record.

A question's module defines `QUESTION`. Each option states signs with a level (0 is what healthy runs show, 1 is
unmistakable), and facts under the names of docs/record.md. If the answer is free text, `read` turns it into a
`Telling`. `share` says how common an answer is among people who ask for help; `examples` are typical answers with their
shares, from which the value of a question without options is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any


class AnswerError(ValueError):
    """The answer cannot be understood; `str(error)` is one line that says what an answer looks like."""


@dataclass
class Telling:
    """The facts and signs that one answer states. `said` is the answer in a few words."""

    said: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    signs: dict[str, dict[str, Any]] = field(default_factory=dict)
    pasted: str = ""  # lines of a log, for the readers

    def sign(self, name: str, level: float, text: str, onset: int | None = None) -> None:
        self.signs[name] = {"level": level, "text": text, "onset": onset}


@dataclass(frozen=True)
class Option:
    """One of the answers to choose from. `said` completes "You said that …"."""

    key: str
    label: str
    said: str
    signs: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    words: tuple[str, ...] = ()  # keywords in free text that give this answer

    def tell(self) -> Telling:
        found = Telling(self.label, dict(self.facts))
        for name, level in self.signs.items():
            found.sign(name, level, f"You said that {self.said}.")
        return found


@dataclass(frozen=True)
class Question:
    id: str
    ask: str
    why: str
    how: str
    options: tuple[Option, ...] = ()
    read: Callable[[str], Telling] | None = None
    examples: tuple[tuple[str, float], ...] = ()
    hint: str = ""  # what an answer looks like, if there are no options
    many_lines: bool = False
    effort: float = 1.0  # relative to choosing from a list

    def answer(self, text: str) -> Telling:
        """What the answer states. Raises `AnswerError` (one line) if it cannot be understood."""
        chosen = self.option(text)
        if chosen is not None:
            return chosen.tell()
        if self.read is not None:
            return self.read(text)
        raise AnswerError(f"please choose one of: {', '.join(option.key for option in self.options)}")

    def option(self, text: str) -> Option | None:
        """The option that the text names by number, key or label; small typos are allowed."""
        word = " ".join(text.strip().lower().split())
        if word.isdigit() and self.read is None:
            return self.options[int(word) - 1] if 1 <= int(word) <= len(self.options) else None
        names = {option.key: option for option in self.options}
        names |= {option.label.lower(): option for option in self.options}
        if word in names:
            return names[word]
        begun = {option.key: option for name, option in names.items() if len(word) >= 3 and name.startswith(word)}
        if len(begun) == 1:
            return next(iter(begun.values()))
        near = get_close_matches(word, names, n=1, cutoff=0.85) if self.options and len(word) >= 3 else []
        return names[near[0]] if near else None

    def hypothetical(self) -> list[tuple[Telling, float]]:
        """The possible answers with their shares, which add up to 1."""
        told = [(option.tell(), option.share) for option in self.options]
        told += [(self.answer(text), share) for text, share in self.examples]
        total = sum(share for _, share in told)
        return [(telling, share / total) for telling, share in told]
