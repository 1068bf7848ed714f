"""Lines that announce an evaluation whose numbers follow below: `Test Error:`, `--- Validation ---`."""

from __future__ import annotations

import re
from dataclasses import replace

from ..meaning.names import Phase, role_of
from .phrases import Said, phase_in, phased

LONGEST = 60
_FEW_WORDS = re.compile(r"\W*[^\W\d]+(?:\W+[^\W\d]+){0,2}\W*")
_MEASURED = frozenset({"loss", "accuracy", "perplexity"})


class Headings:
    """Receives the lines without a number, and what the other lines say."""

    def __init__(self) -> None:
        self._phase: Phase = ""

    @property
    def neutral(self) -> bool:
        return not self._phase

    def line(self, line: str) -> None:
        """Take in a line without a number. Any such line ends the evaluation that an earlier heading announced."""
        self._phase = _announced(line)

    def is_heading(self, line: str) -> bool:
        return bool(_announced(line))

    def below(self, found: Said) -> Said:
        """Return the line with its values in the phase of the heading above, unless it names a phase or step itself."""
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
