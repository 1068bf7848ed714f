"""Lines that announce an evaluation whose numbers stand below: `Test Error:`, `--- Validation ---`."""

from __future__ import annotations

import re
from dataclasses import replace

from ..meaning.names import Phase, role_of
from .phrases import Said, phase_in, phased

LONGEST = 60
_FEW_WORDS = re.compile(r"\W*[^\W\d]+(?:\W+[^\W\d]+){0,2}\W*")
_MEASURED = frozenset({"loss", "accuracy", "perplexity"})


class Headings:
    """Fed with the lines without a number, and with what the others say."""

    def __init__(self) -> None:
        self._phase: Phase = ""

    @property
    def neutral(self) -> bool:
        return not self._phase

    def line(self, line: str) -> None:
        """An empty line ends what a heading announced; so does another heading."""
        self._phase = _announced(line)

    def is_heading(self, line: str) -> bool:
        return bool(_announced(line))

    def below(self, found: Said) -> Said:
        """The line's numbers, in the phase that the heading over it names, unless the line itself says where it is."""
        if self._phase not in ("validation", "test"):
            return found
        roles = [role_of(name) for name in found.values]
        if found.position is not None or found.epoch is not None or any(r.phase or r.kind == "step" for r in roles):
            self._phase = ""
            return found
        measured = {name: phased(name, self._phase) for name in found.values if role_of(name).kind in _MEASURED}
        values = {measured.get(name, name): value for name, value in found.values.items()}
        return replace(found, values=values)


def _announced(line: str) -> Phase:
    text = line.strip()
    return phase_in(text) if len(text) < LONGEST and _FEW_WORDS.fullmatch(text) else ""
