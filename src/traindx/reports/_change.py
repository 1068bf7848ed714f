"""A fix's code beside the line that is there now."""

from __future__ import annotations

from difflib import SequenceMatcher

from ..causes import Fix

ALIKE = 0.5  # share of common characters from which one line reads as the other, edited


def before_and_after(fix: Fix) -> list[str]:
    """Marked like a diff where the code replaces or surrounds the present line; else simply what to write."""
    code = fix.code.strip("\n").splitlines()
    old = fix.location.text.strip() if fix.location else ""
    if not old:
        return code
    if any(line.strip() == old for line in code):
        return [f"{' ' if line.strip() == old else '+'} {line}" for line in code]
    if len(code) == 1 and SequenceMatcher(None, old, code[0].strip()).ratio() >= ALIKE:
        return [f"- {old}", f"+ {code[0].strip()}"]
    return [f"now:   {old}", *(f"{'write:' if i == 0 else '      '} {line}" for i, line in enumerate(code))]
