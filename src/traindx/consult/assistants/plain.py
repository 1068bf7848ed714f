"""Cleans text from files: no control characters, no invisible characters, limited length.

Logs and scripts may contain anything, also terminal escapes and sentences that address an assistant. They are returned
only as values of JSON fields; hidden characters in such a value are removed here.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST_TEXT = 100_000  # a patch or a page
MOST_ITEMS = 2000  # of one list
# Cc: control, Cf: format (directions, zero width), Cs: half a character, Co and Cn: no character at all
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
KEPT = "\n\t"


def plain_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """`text` without hidden characters. If it is cut, the number of missing characters is added."""
    lines = (
        "".join(c for c in line if c in KEPT or unicodedata.category(c) not in HIDDEN) for line in text.split("\r\n")
    )
    shown = "\r\n".join(lines)  # a patch of a file with these line endings must keep them
    return shown if len(shown) <= longest else f"{shown[:longest]} [{len(shown) - longest} characters left out]"


def plain(value: Any) -> Any:
    """The same for all texts inside a JSON value. NaN and infinities become strings, as in a diagnosis."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {plain_text(str(key), 1000): plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [plain(inner) for inner in value[:MOST_ITEMS]]
    return value
