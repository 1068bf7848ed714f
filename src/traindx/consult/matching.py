"""Recognises what free text is about by keywords: symptoms, wishes, and matters that are out of scope.

A keyword counts if it occurs in the text, small typos included, unless one of the two words before it is a negation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from .questions import all_questions
from .symptoms import all_symptoms
from .toml import parse

Kind = Literal["symptom", "wish", "handover"]
SLIP = 0.84  # two words with at least this similarity count as the same word with a typo
DENIALS = frozenset(("no", "not", "never", "without", "isn't", "doesn't", "don't", "didn't", "nothing"))
_OPTIMIZER = re.compile(
    r"\b(?:adamw?|nadam|radam|sgd|rmsprop|adagrad|lion)\b[^.;!?]{0,40}?(?:lr|learning rate)[\s:=of]*\d[\de.^*-]*",
    re.IGNORECASE,
)
LONG_ENOUGH = 5  # letters; shorter words are too similar to others to allow typos


@dataclass(frozen=True)
class Match:
    """Something that the words are about. `text` is the answer to a wish or a matter out of scope."""

    kind: Kind
    id: str
    found: str  # the keyword that was recognised
    text: str = ""
    command: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Saying:
    """A wish or a matter out of scope, as its file describes it."""

    id: str
    words: Sequence[str]
    answer: str
    command: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@cache
def sayings(folder: str) -> tuple[Saying, ...]:
    """The files of `wishes` or `handovers`."""
    found = [file for file in files(__package__).joinpath(folder).iterdir() if file.name.endswith(".toml")]
    return tuple(Saying(**parse(file.read_text(encoding="utf-8"))) for file in sorted(found, key=lambda f: f.name))


def recognise(text: str) -> list[Match]:
    """Everything that `text` is about, symptoms first."""
    words = _words(text)
    if not words:
        return []
    found = [
        Match("symptom", symptom.id, keyword)
        for symptom in all_symptoms().values()
        if (keyword := _first(symptom.words, words))
    ]
    others: tuple[tuple[Kind, str], ...] = (("wish", "wishes"), ("handover", "handovers"))
    return found + [
        Match(kind, saying.id, keyword, saying.answer, saying.command, saying.facts)
        for kind, folder in others
        for saying in sayings(folder)
        if (keyword := _first(saying.words, words))
    ]


def heard(text: str) -> dict[str, str]:
    """Answers to questions that free text contains: {question: answer}."""
    words = _words(text)
    found = {
        question.id: option.key
        for question in all_questions().values()
        for option in question.options
        if _first(option.words, words)
    }
    named = _OPTIMIZER.search(text)
    if named:
        found["optimizer"] = named[0]
    return found


def _first(keywords: Sequence[str], words: list[str]) -> str:
    return next((keyword for keyword in keywords if _occurs(keyword, words)), "")


def _occurs(keyword: str, words: list[str]) -> bool:
    wanted = _words(keyword)
    for start in range(len(words) - len(wanted) + 1):
        if _alike(wanted, words[start : start + len(wanted)]):
            before = words[max(0, start - 2) : start]
            if not DENIALS & set(before):
                return True
    return False


def _alike(wanted: list[str], given: list[str]) -> bool:
    """Whether each word is the same, starts with the wanted one (`oscillat`: `oscillating`), or has a typo."""
    for want, have in zip(wanted, given, strict=True):
        if want == have or (len(want) >= LONG_ENOUGH and have.startswith(want)):
            continue
        # A keyword may be a stem, so compare it with the beginning of a longer word too.
        forms = (have, have[: len(want)])
        if min(len(want), len(have)) < LONG_ENOUGH or max(_likeness(want, form) for form in forms) < SLIP:
            return False
    return True


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _words(text: str) -> list[str]:
    plain = text.lower().replace("’", "'").replace("`", "'")
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", plain.replace("-", " "))
