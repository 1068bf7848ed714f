"""Translates names of training quantities from other languages to English, by the words of `languages.toml`."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from ...toml import table


@cache
def _stated(kind: str) -> dict[str, Any]:
    """English by foreign word, for a table that is written the other way round."""
    stated = table(__package__, "languages.toml")[kind]
    return {word: english for english, known in stated.items() for word in known}


def in_latin_letters(name: str) -> str:
    """Translate the known parts of a name to English, the longest first, and remove accents."""
    for part, english in sorted(_stated("parts").items(), key=lambda item: -len(item[0])):
        name = name.replace(part, f" {english} ").replace(part.capitalize(), f" {english} ")
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def in_english(words: list[str]) -> list[str]:
    """Translate known words.

    >>> in_english(["perdida", "de", "validacion"])
    ['loss', 'validation']
    """
    known, articles = _stated("words"), _stated("left_out")
    words = [part for word in words for part in _parted(word)]
    if not any(word in known for word in words):
        return words
    return [known.get(word, word) for word in words if word not in articles]


def _parted(word: str) -> tuple[str, ...]:
    """The two words of a German compound of which both are known, the first in English."""
    for first, english in _stated("joined").items():
        second = word.removeprefix(first)
        if second != word and (second in _stated("words") or second == "norm"):
            return english, second
    return (word,)
