"""Evaluations: those that a line announces, and those that a log shows batch by batch.

`Test: [10/97] Loss 2.3 (2.5)` gives a mean over the batches so far. Only the last line of an evaluation is a point of a
curve. Where it prints a value with its average, `2.3 (2.5)`, the average counts. A line of scores right after the
evaluation that names no phase (` * Acc@1 71.5`) is its result. `Test Error:` and `--- Validation ---` announce an
evaluation whose numbers follow below.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..meaning.names import Phase, role_of
from .phrases import RUNNING, Said, phase_in, phased


class Evaluations:
    """Receives what each line says, and holds back the lines of an unfinished evaluation."""

    def __init__(self) -> None:
        self._last: tuple[Said, str] | None = None
        self._just_over = False

    @property
    def neutral(self) -> bool:
        return self._last is None and not self._just_over

    def over(self, line: Said | None, text: str) -> tuple[Said, str] | None:
        """Return the last line of the evaluation that `line` ends, if any. Hold `line` back if it is part of one."""
        held = self._last
        if line is not None and line.evaluating:
            again = held is not None and (line.position or 0.0) <= (held[0].position or 0.0)
            self._last = (line, text)
            return _finished(*held) if held is not None and again else None
        self._last = None
        self._just_over = held is not None
        if held is None or (line is not None and _is_result(line)):
            return None  # `line` gives the result itself, so the unfinished values are not needed
        return _finished(*held)

    def result(self, line: Said) -> Said:
        """Return the line, as part of the evaluation that just ended if it holds nothing but scores."""
        if not self._just_over:
            return line
        roles = [role_of(name) for name in line.values]
        scores = bool(roles) and all(role.kind in ("accuracy", "other") and not role.phase for role in roles)
        if not scores or line.position is not None or line.epoch is not None:
            return line
        return replace(line, values={phased(name, "validation"): value for name, value in line.values.items()})


def _is_result(line: Said) -> bool:
    roles = [role_of(name) for name in line.values]
    return any(role.kind == "loss" and role.phase in ("validation", "test") for role in roles)


def _finished(line: Said, text: str) -> tuple[Said, str]:
    values = dict(line.values)
    for name in line.values:
        if name.endswith(RUNNING) and name.removesuffix(RUNNING) in values:
            values[name.removesuffix(RUNNING)] = values.pop(name)
    return replace(line, values=values), text


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
