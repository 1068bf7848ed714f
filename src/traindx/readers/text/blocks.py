"""Reads blocks of lines at once, where their skeletons are known.

The *skeleton* of a line is its text without the numbers. Training scripts print a few skeletons again and again. The
first line of each is read word by word (`phrases`). From it comes a *plan*, which says what each number means in all
other lines of that skeleton: they are read together. All other lines, and lines whose meaning depends on the lines
before them, go one by one through `Lines`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import role_of
from .lines import KERAS, LONGEST_LINE, MARK, Lines
from .phrases import Said, said
from .positions import MEAN, OF, POSITION

# The pattern begins with a plain character class so that the regex engine can skip text fast. It may match too much
# (`5...`); a match that is not a number is then read word by word.
DIGITS = r"[0-9][0-9.]*(?:,[0-9]{3}(?![0-9])[0-9.]*){0,5}(?:[eE][-+]?[0-9]+)?"
_NUMBERS = re.compile(f"({DIGITS})")
_NUMBERS_AND_WORDS = re.compile(
    rf"({DIGITS}|[nNiI](?:(?<![A-Za-z_0-9].)(?:[aA][nN]|[nN][fF](?:inity)?)(?![A-Za-z_0-9])))"
)
# Without a limit, text that never repeats would fill the memory with skeletons.
MOST_SKELETONS = 20_000
Number = tuple[int, float]  # the index of a number among those of its line, and its sign


@dataclass(frozen=True)
class Plan:
    """Says what each number of a line means."""

    values: dict[str, Number]
    epoch: Number | None = None
    position: Number | None = None
    of: Number | None = None
    evaluating: bool = False

    def read(self, numbers: list[str]) -> Said:
        """Return what a line with these numbers says. Raises ValueError if one of them cannot be parsed."""

        def value(number: Number | None) -> float | None:
            return None if number is None else number[1] * to_float(numbers[number[0]])

        values = {name: sign * to_float(numbers[place]) for name, (place, sign) in self.values.items()}
        return Said(values, value(self.epoch), value(self.position), value(self.of), self.evaluating)


def split_numbers(text: str) -> list[str]:
    """Return text and numbers in turn, beginning and ending with text."""
    return (_NUMBERS_AND_WORDS if _may_say_nan(text) else _NUMBERS).split(text)


def _may_say_nan(text: str) -> bool:
    text = text.lower()
    return "nan" in text or ("inf" in text and "inf" in text.replace("info", ""))


def plan_of(found: Said, parts: list[str]) -> Plan | None:
    """Return how to read other lines of this skeleton; None if they must be read word by word."""
    if found.places is None:
        return None
    starts = {start: i for i, start in enumerate(accumulate(map(len, parts), initial=0)) if i % 2}
    numbers: dict[str, Number] = {}
    for what, at in found.places.items():
        if at in starts:
            numbers[what] = (starts[at] // 2, 1.0)
        elif at + 1 in starts and parts[starts[at + 1] - 1][-1:] in ("-", "+"):
            numbers[what] = (starts[at + 1] // 2, -1.0 if parts[starts[at + 1] - 1][-1] == "-" else 1.0)
    epoch, position, of = (numbers.pop(f"|{what}", None) for what in ("epoch", "position", "of"))
    plan = Plan(numbers, epoch, position, of, found.evaluating)
    # A plan is used only if it reads this line correctly.
    try:
        correct = repr(replace(plan.read(parts[1::2]), places=None)) == repr(replace(found, places=None))
    except ValueError:
        return None
    return plan if correct else None


def floats(texts: Sequence[str]) -> FloatArray:
    """Return the numbers. Raises ValueError if one cannot be parsed."""
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return np.fromiter(map(to_float, texts), np.float64, len(texts))


def to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float(text.replace(",", ""))


GAP = "\0"  # stands for a number in a skeleton; `Source` removes NULs from the text
FEWEST = 12  # lines in a row from which on reading them together is faster
WINDOW = 4096
# How lines of a skeleton are read: not at all, together, one by one, or not yet decided.
_SILENT, _TOGETHER, _ALONE, _NEW = range(4)


class _Skeleton:
    """How lines of this skeleton are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plan: Plan | None = None
        self.takes_epoch = self.takes_bar = self.from_table = False

    def use(self, plan: Plan, from_table: bool) -> None:
        self.plan = plan
        kinds = {role_of(name).kind for name in plan.values}
        self.takes_epoch = plan.epoch is None and "epoch" not in kinds
        self.takes_bar = plan.position is None and "step" not in kinds
        self.from_table = from_table


class Blocks:
    """Receives blocks of text that end at the end of a line, and passes their rows on to `Lines`."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._code_of: dict[str, int] = {}
        self._skeletons: list[_Skeleton] = []
        self._how = np.zeros(0, np.int8)
        self._heading: list[str] = []

    def add(self, text: str) -> None:
        lines = text.split("\n")
        block = self._cut(text, lines)
        codes = block.codes
        at = 0
        while at < len(lines):
            if self._how[codes[at]] < _ALONE and self._lines.neutral:
                until = self._known_until(codes, at)
                if until - at >= FEWEST and self._read_together(block, at, until):
                    at = until
                    continue
            else:
                until = at + 1
            for one in range(at, until):
                self._read_one(block, one)
            at = until

    def _cut(self, text: str, lines: list[str]) -> _Block:
        """Cut all of the text into text and numbers."""
        parts = split_numbers(text)
        skeletons = GAP.join(parts[::2]).split("\n")
        codes = np.array([self._code(skeleton) for skeleton in skeletons], np.int64)
        counts = np.array([skeleton.count(GAP) for skeleton in skeletons], np.int64)
        return _Block(lines, codes, parts[1::2], np.cumsum(counts) - counts, counts)

    def _code(self, skeleton: str) -> int:
        code = self._code_of.get(skeleton)
        if code is not None:
            return code
        tables, headings = self._lines.tables, self._lines.headings
        if GAP not in skeleton and not (tables.may_be_heading(skeleton) or headings.is_heading(skeleton)):
            return 0 if self._skeletons else self._new("", _SILENT)
        if len(self._skeletons) > MOST_SKELETONS:
            return self._code_of.setdefault("\n", self._new("\n", _ALONE))
        return self._new(skeleton, _SILENT if not self._skeletons and not skeleton else _NEW)

    def _new(self, skeleton: str, how: int) -> int:
        if not self._skeletons and skeleton:
            self._new("", _SILENT)  # code 0: lines that say nothing
        code = self._code_of[skeleton] = len(self._skeletons)
        self._skeletons.append(_Skeleton(skeleton))
        if code >= len(self._how):
            self._how = np.r_[self._how, np.full(max(64, code), _ALONE, np.int8)]
        self._how[code] = how
        return code

    def _known_until(self, codes: IntArray, at: int) -> int:
        """Return the index of the next line that must be read on its own."""
        while at < len(codes):
            stop = np.flatnonzero(self._how[codes[at : at + WINDOW]] >= _ALONE)
            if len(stop):
                return at + int(stop[0])
            at = min(at + WINDOW, len(codes))
        return at

    def _read_one(self, block: _Block, at: int) -> None:
        line, code = block.lines[at], int(block.codes[at])
        if self._how[code] == _NEW:
            self._how[code] = self._classify(self._skeletons[code], line)
        plan = self._skeletons[code].plan
        if plan is None or self._skeletons[code].from_table:
            self._lines.add(line)
        else:
            try:
                self._lines.add_said(plan.read(block.numbers(at)), line)
            except ValueError:
                self._lines.add(line)
        if self._lines.tables.heading != self._heading:
            # Under another heading, lines of the same skeleton may mean something else.
            self._heading = self._lines.tables.heading
            self._how[1 : len(self._skeletons)] = _NEW
            for skeleton in self._skeletons:
                skeleton.plan = None

    def _classify(self, skeleton: _Skeleton, line: str) -> int:
        text = skeleton.text
        if len(line) > LONGEST_LINE or MARK in line or (line[:1] == "{" and "[" in line) or text == "\n":
            return _ALONE
        lines = self._lines
        if row := lines.tables.look(line):
            plan = plan_of(Said(row, places=_places(row, line)), split_numbers(line))
            if plan is None:
                return _ALONE
            skeleton.use(plan, from_table=True)
            return _TOGETHER
        if lines.tables.may_be_heading(line) or lines.unnamed.fits(line):
            return _ALONE
        if GAP not in text:
            return _ALONE if lines.headings.is_heading(line) else _SILENT
        found = said(line)
        if found is None:
            return _SILENT
        plan = plan_of(found, split_numbers(line))
        if plan is not None:
            skeleton.use(plan, from_table=False)
        if plan is None or plan.evaluating:
            return _ALONE
        counts_batches = any(role_of(name).kind == "step" and role_of(name).weak == 2 for name in plan.values)
        return _ALONE if plan.of is not None and plan.position is None and counts_batches else _TOGETHER

    def _read_together(self, block: _Block, begin: int, end: int) -> bool:
        """Read the lines from `begin` to `end`. Return False if one of their numbers cannot be parsed."""
        codes = block.codes[begin:end]
        here: dict[int, IntArray] = {}
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            if self._how[code] == _TOGETHER:
                here[code] = np.flatnonzero(codes == code).astype(np.int64)
        positions = self._lines.positions
        epochs, bars, totals = (np.full(end - begin, np.nan) for _ in range(3))
        read: dict[int, FloatArray] = {}
        try:
            for code, at in here.items():
                plan = self._plan(code)
                read[code] = block.values(at + begin, list(plan.values.values()))
                if plan.epoch is not None:
                    epochs[at] = block.values(at + begin, [plan.epoch])[:, 0]
                if not plan.values and plan.position is not None and plan.of is not None:
                    bars[at] = block.values(at + begin, [plan.position])[:, 0]
                    totals[at] = block.values(at + begin, [plan.of])[:, 0]
            groups = []
            carried = _carried(epochs, positions.epoch)
            bar = positions.bar or (np.nan, np.nan)
            placed, of = _carried(bars, bar[0]), _carried(totals, bar[1])
            for code, at in here.items():
                groups += self._groups(block, code, at, begin, read[code], carried, placed, of)
        except ValueError:
            return False
        self._lines.rows.add_many(groups, block.lines)
        self._lines.unnamed.pass_over(end - begin)
        if np.isfinite(carried[-1]):
            positions.epoch = float(carried[-1])
        if np.isfinite(placed[-1]):
            positions.bar = float(placed[-1]), float(of[-1])
        return True

    def _plan(self, code: int) -> Plan:
        plan = self._skeletons[code].plan
        assert plan is not None
        return plan

    def _groups(
        self, block: _Block, code: int, at: IntArray, begin: int, values: FloatArray,
        carried: FloatArray, placed: FloatArray, of: FloatArray,
    ) -> list[tuple[IntArray, tuple[str, ...], FloatArray]]:  # fmt: skip
        """Return the rows of one skeleton, in separate groups with and without an epoch or bar from an earlier line."""
        skeleton, plan = self._skeletons[code], self._plan(code)
        if not plan.values:
            return []
        names, columns = [*plan.values], [values]
        optional = []
        if plan.epoch is not None or skeleton.takes_epoch:
            names.append("epoch")
            columns.append(carried[at][:, None])
            optional.append((len(names) - 1, 1))
        if plan.position is not None:
            names.append(POSITION)
            columns.append(block.values(at + begin, [plan.position]))
            if plan.of is not None:
                names.append(OF)
                columns.append(block.values(at + begin, [plan.of]))
        elif skeleton.takes_bar:
            names += [POSITION, OF]
            columns += [placed[at][:, None], of[at][:, None]]
            optional.append((len(names) - 2, 2))
        table = np.hstack(columns)
        groups = []
        for missing in range(1 << len(optional)):
            rows, gone = np.ones(len(at), bool), set[int]()
            for bit, (first, width) in enumerate(optional):
                empty = ~np.isfinite(table[:, first])
                rows &= empty if missing >> bit & 1 else ~empty
                gone |= set(range(first, first + width)) if missing >> bit & 1 else set()
            if rows.any():
                kept = [place for place in range(len(names)) if place not in gone]
                groups.append(self._group(skeleton, at[rows] + begin, [names[k] for k in kept], table[rows][:, kept]))
        return groups

    @staticmethod
    def _group(
        skeleton: _Skeleton, places: IntArray, names: list[str], values: FloatArray
    ) -> tuple[IntArray, tuple[str, ...], FloatArray]:
        if KERAS in skeleton.text and POSITION in names:
            names, values = [*names, MEAN], np.hstack([values, np.ones((len(values), 1))])
        return places, tuple(names), values


class _Block:
    """One block: its lines, the codes of their skeletons, and all its numbers in one list."""

    def __init__(self, lines: list[str], codes: IntArray, cells: list[str], starts: IntArray, counts: IntArray) -> None:
        self.lines, self.codes, self.cells, self.starts, self.counts = lines, codes, cells, starts, counts

    def numbers(self, line: int) -> list[str]:
        return self.cells[self.starts[line] : self.starts[line] + self.counts[line]]

    def values(self, lines: IntArray, wanted: list[Number]) -> FloatArray:
        """Return the wanted numbers of lines of one skeleton, a row per line. Raises ValueError if one is none."""
        found = np.empty((len(lines), len(wanted)))
        starts = self.starts[lines]
        for column, (place, sign) in enumerate(wanted):
            found[:, column] = floats([self.cells[at] for at in (starts + place).tolist()])
            found[:, column] *= sign
        return found


def _carried(cells: FloatArray, before: float | None) -> FloatArray:
    """Fill each empty cell with the last number above it, or with `before`."""
    if not np.isfinite(cells).any():
        return np.full(len(cells), np.nan if before is None else before)
    last = np.maximum.accumulate(np.where(np.isfinite(cells), np.arange(len(cells)), -1))
    return np.where(last < 0, np.nan if before is None else before, cells[np.maximum(last, 0)])


def _places(row: dict[str, float], line: str) -> dict[str, int] | None:
    """Return where the numbers of a table row stand in the line; None if they are not in the order of the columns."""
    places, at = {}, 0
    parts = split_numbers(line)
    starts = np.cumsum([0, *map(len, parts)])
    for name, value in row.items():
        while at < len(parts) // 2:
            number, at = at, at + 1
            try:
                sign = -1.0 if parts[2 * number].endswith("-") else 1.0
                if sign * to_float(parts[2 * number + 1]) == value:
                    places[name] = int(starts[2 * number + 1]) - (sign < 0)
                    break
            except ValueError:
                continue
        else:
            return None
    return places
