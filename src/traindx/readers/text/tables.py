"""Tables inside free text: a line of names above lines of numbers, separated by spaces, tabs or vertical bars."""

from __future__ import annotations

import re

from ..meaning.names import PHASES, Phase, role_of
from ..rows.collector import number
from .phrases import phased

_UPRIGHT = "|│┃║"
_RULE = re.compile(rf"^[\s+:=\-{_UPRIGHT}\u2500-\u257f]*$")  # of ASCII, or of any box-drawing characters
_BAR_TAIL = re.compile(r"\s\d{1,3}%\s{0,4}(?:[|│]|\d+/\d+ \[).*$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LIST = re.compile(r"^\[(.+)\]$")  # the terms of a loss; the loss is their sum
_FRACTION = re.compile(r"^(\d+)/\d+$")
_UNIT = re.compile(r"^([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)(?:[GMK]i?B?|s|ms|%)$")
# Short column names of some trainers.
_SHORT = {"#": "step", "e": "epoch", "ep": "epoch"}
MOST_COLUMNS = 64
LONGEST_CELL = 200
LONGEST_LINE = 2000
_MEASURED = frozenset(("loss", "accuracy", "perplexity"))


class Tables:
    """Receives lines one by one, remembers the last heading and reads the rows below it."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._lines_since_row = 0
        self._phases: list[Phase] = []  # `Training |  Validation`: a heading of phases above one row per quantity

    @property
    def heading(self) -> list[str]:
        """The column names of the present table; empty outside of tables."""
        return self._names

    def look(self, line: str) -> dict[str, float] | None:
        """Return what `row` would return under the present heading, without taking the line in."""
        if "\x1b" in line or not self._names or not self._may_belong(line) or _BAR_TAIL.search(line):
            return None
        fitting = (self._matched(cells) for cells in _splits(line) if len(cells) == len(self._names))
        return next((found for found in fitting if found), None)

    def may_be_heading(self, line: str) -> bool:
        """Return whether the line may be a heading, or part of a table in a way that `look` does not check."""
        if "\x1b" in line or (self._names and _BAR_TAIL.search(line)):
            return True
        return bool(self._phases and "|" in line) or self._heads(line) or _may_name_phases(line)

    def row(self, line: str) -> dict[str, float] | None:
        """Return the numbers of a table row, or None if the line is not one."""
        if "\x1b" in line:
            line = _COLOUR.sub("", line)
        if (self._phases or _may_name_phases(line)) and "|" in line and (found := self._by_phases(line)):
            return found
        if not self._may_belong(line) or _RULE.match(line):
            return None
        if bar := _BAR_TAIL.search(line):
            line = line[: bar.start()].rstrip(" \t:")
        for cells in _splits(line):
            if self._is_heading(cells):
                self._names = [_SHORT.get(cell.lower(), cell) for cell in cells]
                self._lines_since_row = 0
                return None
            if len(cells) == len(self._names) and (found := self._matched(cells)):
                self._lines_since_row = 0
                return found
        self._lines_since_row += 1
        if self._lines_since_row > 1000:
            self._names = []
        return None

    def _by_phases(self, line: str) -> dict[str, float] | None:
        """Read a table of AllenNLP, which has the phases in the heading and one quantity per row."""
        if len(line) > LONGEST_LINE:
            return None
        head, *cells = [cell.strip() for cell in line.split("|")]
        name = head.rsplit(" - ", 1)[-1].strip()
        phases: list[Phase] = [PHASES.get(word.lower(), "") for word in (name, *cells)]
        if len(phases) > 1 and all(phases) and len(set(phases)) == len(phases):
            self._phases = phases
            return None
        if not self._phases or len(cells) != len(self._phases) or role_of(name).kind not in _MEASURED:
            return None
        values = [number(cell) for cell in cells]
        named = zip(self._phases, values, strict=True)
        return {f"{phase} {name}": value for phase, value in named if value is not None} or None

    def _may_belong(self, line: str) -> bool:
        """Return quickly whether a line can be a heading or a row: most lines of a log are neither."""
        if len(line) > LONGEST_LINE:
            return False
        if self._names and line.lstrip()[:1] in f"{_UPRIGHT}0123456789":
            return True
        return self._speaks_of_loss(line)

    def _heads(self, line: str) -> bool:
        return self._speaks_of_loss(line) and any(map(self._is_heading, _splits(line)))

    @staticmethod
    def _speaks_of_loss(line: str) -> bool:
        return "loss" in line.lower() and ":" not in line and "=" not in line

    def _matched(self, cells: list[str]) -> dict[str, float] | None:
        values = [_value(cell) for cell in cells]
        counters = [role_of(name).kind in ("epoch", "step") for name in self._names]
        if any(counts and value is None for counts, value in zip(counters, values, strict=True)):
            return None  # a row of another table
        known = sum(value is not None for value in values)
        if known < 2 or 2 * known < len([cell for cell in cells if cell]):
            return None
        # A row may name its phase: "| Validation | 2.3 |".
        phase: Phase = next((PHASES[cell.lower()] for cell in cells if cell.lower() in PHASES), "")
        named = zip(self._names, values, strict=True)
        return {phased(name, phase): value for name, value in named if value is not None and name}

    @staticmethod
    def _is_heading(cells: list[str]) -> bool:
        """Return whether the cells are short names: one of a loss, and one of a counter or a second measurement."""
        if not 2 <= len(cells) <= MOST_COLUMNS or any(len(c) > 40 or _value(c) is not None for c in cells):
            return False
        if any(":" in cell or "=" in cell for cell in cells):
            return False
        roles = [role_of(_SHORT.get(cell.lower(), cell)) for cell in cells]
        losses = sum(role.kind == "loss" and role.weak == 0 for role in roles)
        others = sum(role.kind in ("epoch", "step", "accuracy", "lr") for role in roles)
        return losses > 0 and losses + others >= 2


def _may_name_phases(line: str) -> bool:
    return "alidation" in line and "|" in line


def _splits(line: str) -> list[list[str]]:
    """Return the ways to cut a line into cells, the most reliable first."""
    text = line.replace("*", "").strip()
    if len(re.findall(f"[{_UPRIGHT}]", text)) >= 2:
        return [[cell.strip() for cell in re.split(f"[{_UPRIGHT}]", text.strip(_UPRIGHT))]]
    wide = re.split(r"\s{2,}|\t", text)
    narrow = text.split()
    return [wide] if len(wide) == len(narrow) else [wide, narrow]


def _value(cell: str) -> float | None:
    if (plain := number(cell)) is not None:
        return plain
    if len(cell) > LONGEST_CELL:
        return None
    if fraction := _FRACTION.match(cell):
        return float(fraction[1])
    if unit := _UNIT.match(cell):
        return float(unit[1])
    if terms := _LIST.match(cell):
        values = [number(term) for term in terms[1].split(",")]
        return None if None in values else sum(value for value in values if value is not None)
    return None
