"""Formats numbers, names and text from files for sentences, pages and messages, in the same way everywhere."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from functools import partial

# Replacements for streams without Unicode. All other characters become a question mark.
PLAIN = {
    "–": "-", "—": "-", "−": "-", "·": "-", "•": "-", "×": "x", "…": "...", "→": "->", "≥": ">=", "≤": "<=", "≈": "~",
    "±": "+/-", "µ": "u", "‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip
_UNDECODED = re.compile("[\udc80-\udcff]+")  # bytes of a file name that the locale could not decode
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


def clean(text: str, ascii_only: bool = False) -> str:
    """Return `text` without control characters: it may come from a file, and a terminal executes escape sequences."""
    if not text.isascii() and _UNDECODED.search(text):
        text = _UNDECODED.sub(lambda found: _decoded(found[0]), text)
    text = text.expandtabs(4)
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    if ascii_only and not text.isascii():
        text = "".join(char if char.isascii() else PLAIN.get(char, "?") for char in text)
    return text


def _decoded(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def clean_page(page: str) -> str:
    """Return a rendered page without control characters, except for the colours that the renderer has put there."""
    return "".join(part if _COLOUR.fullmatch(part) else clean(part) for part in _COLOUR.split(page))


def markup(text: object) -> str:
    """Escape anything for HTML or SVG, inside an element or between quotes."""
    return html.escape(clean(str(text)), quote=True)


def num(value: float, digits: int = 3) -> str:
    """Format a number with `digits` significant digits. Below 1e6, whole and large numbers keep all their digits."""
    if math.isfinite(value) and abs(value) < 1e6 and (value == int(value) or abs(value) >= 10**digits):
        return f"{value + 0.0:.0f}"  # adding zero turns -0 into 0
    return f"{value:.{digits}g}"


num4 = partial(num, digits=4)  # for losses


def apart(before: float, after: float) -> tuple[str, str]:
    """Format two numbers with as many digits as it takes to tell them apart: `1.00002`, `1.00004` and not `1`, `1`."""
    shown = (_finite(before, 3), _finite(after, 3))
    for digits in (4, 5, 6, 7):
        if shown[0] != shown[1] or before == after:
            break
        shown = (_finite(before, digits), _finite(after, digits))
    return shown


def _finite(value: float, digits: int) -> str:
    return num(value, digits) if math.isfinite(value) else "not finite"


def percent(share: float) -> str:
    """Format a share as a percentage. Small shares keep digits so that they do not read as 0 %."""
    value = 100 * share + 0.0  # adding zero turns -0 into 0
    if 0 < value < 0.005:
        return "<0.01 %"
    return f"{value:.2g} %" if 0 < abs(value) < 10 else f"{value:.0f} %"


def plus_minus(share: float) -> str:
    """Format a spread around a level: `±5 %`, `under ±0.01 %`."""
    shown = percent(share)
    return f"under ±{shown[1:]}" if shown.startswith("<") else f"±{shown}"


def probability(share: float) -> str:
    """Format a probability as a percentage, but never as 0 % or 100 %: nothing is certain."""
    if share < 0.01:
        return "<1 %"
    return ">99 %" if share > 0.99 else f"{100 * share:.0f} %"


def by_experiment(confidence: float) -> str:
    """How sure a cause is after a trial that cured. A trial can be luck, so a doubtful cause is not proven by it."""
    return "proven by experiment" if confidence >= 0.7 else "supported by an experiment"


def counted(count: float, noun: str) -> str:
    """Format a count with its noun: `1 step`, `1,200 steps`, `3 losses`."""
    return f"{count:,.0f} {noun}" if count == 1 else f"{count:,.0f} {noun}{'es' if noun.endswith('s') else 's'}"


def sentence(text: str) -> str:
    """Turn `text` into a sentence: a capital first letter (unless it begins with code or a name) and a full stop."""
    first = text.split(" ", 1)[0]
    if first.isalpha() and first[:1].islower():
        text = first[:1].upper() + text[1:]
    return text if not text or text.endswith((".", "!", "?", ":")) else f"{text}."


def lowered(text: str) -> str:
    """Return `text` with a lower-case first letter, unless its first word is a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text if sum(c.isupper() for c in first) > 1 or not first[:1].isalpha() else text[:1].lower() + text[1:]


def listed(names: Sequence[str], limit: int = 4) -> str:
    """List the first names and how many more there are: `a, b, c, d and 3 more`."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def times(log_ratio: float) -> str:
    """Format the logarithm of a ratio as a factor: `2.7 times`."""
    return f"{num(math.exp(min(log_ratio, 700.0)))} times"


def change(share: float) -> str:
    """Format an increase: `3.4 %`, `41 %`; from a factor of three on as `6.2 times`."""
    return f"{num(1 + share)} times" if share >= 2 else percent(share)


def round_figure(value: float) -> float:
    """Round to 1, 2, 3 or 5 times a power of ten, for suggested values, which need no precision."""
    if not (value > 0 and math.isfinite(value)):
        return value
    exponent = math.floor(math.log10(value))
    candidates = [float(f"{m}e{exponent + shift}") for shift in (0, 1) for m in (1, 2, 3, 5)]
    candidates = [candidate for candidate in candidates if 0 < candidate < math.inf]
    nearest = min(candidates, key=lambda candidate: abs(math.log(candidate) - math.log(value)), default=value)
    return float(f"{nearest:.1g}")
