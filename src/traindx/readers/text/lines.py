"""Reads the lines of a text one by one, in order: what a line says may depend on the lines before it."""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import bare_phase, role_of
from ..rows.collector import Collector
from ..rows.table import BoolArray, Column, Table
from .bars import MEAN, POSITION
from .evaluations import Evaluations
from .headings import Headings
from .mlperf import MARK, said_by_mlperf
from .phrases import BROKEN, Said, without_times
from .positions import Positions
from .skeletons import Skeletons
from .tables import Tables
from .unnamed import Unnamed

Group = tuple[IntArray, tuple[str, ...], FloatArray]  # lines of one template: their indices, names and values
TEMPLATE = "(template)"
MOST_TEMPLATES = 20_000
LONGEST_LINE = 1 << 16
# Hosts of one distributed training that print the same line do so within this many lines.
HOSTS_APART = 64
KERAS = " - ETA: "  # marks a bar that shows the mean of the epoch so far
_HAS_NUMBER = re.compile(r"\d|nan|inf", re.IGNORECASE)
_MEASURED = frozenset({"loss", "perplexity", "accuracy", "lr", "grad_norm", "loss_scale", "reward"})
_PLACED = frozenset({"step", "epoch", "seen"})
_WEIGHTS = np.random.default_rng(0).integers(1, 1 << 62, 1 << 16) | 1  # to hash rows


class Lines:
    """Receives lines, and collects the rows of those that matter in `rows`."""

    def __init__(self, wanted: set[str]) -> None:
        self.rows = Rows(wanted)
        self.positions = Positions()
        self.tables = Tables()
        self.headings = Headings()
        self.evaluations = Evaluations()
        self.unnamed = Unnamed()
        self.skeletons = Skeletons()
        self.passed_over = 0

    @property
    def neutral(self) -> bool:
        """Return whether no earlier line changes what the next line says, apart from the epoch and the bar."""
        return self.headings.neutral and self.evaluations.neutral

    def add(self, line: str) -> None:
        if len(line) > LONGEST_LINE:
            self.passed_over += 1
        elif MARK in line and (found := said_by_mlperf(line)) is not None:
            self._add(found, line)
        elif row := self.tables.row(line):
            self._add(Said(values=row), line)
        elif not _HAS_NUMBER.search(line):
            self.headings.line(line)
        elif (found := self.skeletons.said(line)) is not None:
            self._take(found, line)
        self.unnamed.add(line)

    def add_said(self, found: Said, line: str) -> None:
        """Take in a line that is not part of a table and has been read already."""
        self._take(found, line)
        self.unnamed.pass_over(1)

    def _take(self, found: Said, line: str) -> None:
        if (over := self.evaluations.over(found, line)) is not None:
            self._add(*over)
        if not found.evaluating:
            self._add(self.evaluations.result(self.headings.below(found)), line)

    def end(self) -> None:
        if (over := self.evaluations.over(None, "")) is not None:
            self._add(*over)

    def _add(self, said: Said, line: str) -> None:
        if (row := self.positions.place(said)) is not None:
            if KERAS in line and POSITION in row:
                row[MEAN] = 1.0
            self.rows.add(row, line)


class Rows:
    """Collects the rows of the lines that matter.

    A *template* is the tuple of names in a line. Logs repeat their templates, other text does not.
    """

    def __init__(self, wanted: set[str]) -> None:
        self._wanted = wanted
        self._collector = Collector()
        self._templates: dict[tuple[str, ...], int] = {}
        self._needed: list[float] = []  # how often each template must occur before its lines count
        self._seen: Counter[int] = Counter()
        self._recent: OrderedDict[tuple[float | str, ...], str] = OrderedDict()

    def add(self, row: dict[str, float], line: str) -> None:
        if self._is_echo(tuple(row), tuple(row.values()), line):
            return
        template = self.template(tuple(row))
        if template is None:
            return
        self._seen[template] += 1
        row[TEMPLATE] = float(template)
        self._collector.add(row)

    def add_many(self, groups: Sequence[Group], lines: list[str]) -> None:
        """Add the rows of many lines at once."""
        kept = [(template, *group) for group in groups if (template := self.template(group[1])) is not None]
        if not kept:
            return
        stays = self._without_echoes([group for _, *group in kept], lines)
        order = np.sort(np.concatenate([places[keep] for (_, places, *_), keep in zip(kept, stays, strict=True)]))
        columns: dict[str, tuple[list[IntArray], list[FloatArray]]] = {}
        for (template, places, names, values), keep in zip(kept, stays, strict=True):
            rows = np.searchsorted(order, places[keep]).astype(np.int64)
            self._seen[template] += len(rows)
            for name, cells in (
                *zip(names, values[keep].T, strict=True),
                (TEMPLATE, np.full(len(rows), template, float)),
            ):
                found = columns.setdefault(name, ([], []))
                found[0].append(rows)
                found[1].append(cells)
        self._collector.add_block(
            len(order), {name: (np.concatenate(rows), np.concatenate(cells)) for name, (rows, cells) in columns.items()}
        )

    def template(self, names: tuple[str, ...]) -> int | None:
        """Return the number of the template, or None if its lines never count."""
        template = self._templates.get(names)
        if template is None and len(self._templates) < MOST_TEMPLATES:
            template = self._templates[names] = len(self._templates)
            self._needed.append(self._times_needed(names))
        return None if template is None or self._needed[template] == math.inf else template

    def _times_needed(self, names: tuple[str, ...]) -> float:
        """Return 1 for lines that say "loss", more for lines that may be part of a log, infinity for all others."""
        roles = [role_of(name) for name in names]
        kinds = {role.kind for role in roles}
        placed = bool(kinds & _PLACED) or POSITION in names
        if self._wanted & set(names) or BROKEN in names or any(r.kind == "loss" and r.weak == 0 for r in roles):
            return 1
        if kinds & _MEASURED:
            guessed = not any(r.kind in _MEASURED and r.weak == 0 for r in roles)
            return 2 if placed else math.inf if guessed else 3
        if placed and len({role_of(name).phase for name in names if bare_phase(name)}) > 1:
            return 3
        return 2 if "step" in kinds else math.inf

    def _is_echo(self, names: tuple[str, ...], values: tuple[float, ...], line: str) -> bool:
        """Return whether another host has printed the same line: same numbers, other prefix."""
        content = _content(values)
        earlier = self._recent.get(content)
        if earlier is not None and _is_another_hosts(earlier, line, names[0]):
            return True
        self._remember(content, line)
        return False

    def _remember(self, content: tuple[float | str, ...], line: str) -> None:
        self._recent[content] = line
        if len(self._recent) > HOSTS_APART:
            self._recent.popitem(last=False)

    def _without_echoes(self, groups: list[Any], lines: list[str]) -> list[BoolArray]:
        """Mark the rows of each group that are not echoes.

        Only the first rows and rows that seem equal to others are checked one by one.
        """
        stays = [np.ones(len(places), bool) for places, *_ in groups]
        # Equal rows have equal hashes. A collision of different rows only costs time.
        sums = np.concatenate([np.ascontiguousarray(v).view(np.int64) @ _WEIGHTS[: v.shape[1]] for *_, v in groups])
        order = np.argsort(np.concatenate([places for places, *_ in groups]), kind="stable")
        _, same, size = np.unique(sums[order], return_inverse=True, return_counts=True)
        alike = size[same] > 1
        alike[:HOSTS_APART] = True
        last = len(order) - HOSTS_APART
        borders = np.cumsum([0, *map(len, stays)])
        for place in np.flatnonzero(alike | (np.arange(len(order)) >= last)).tolist():
            group = int(np.searchsorted(borders, order[place], side="right")) - 1
            row = int(order[place] - borders[group])
            places, names, values = groups[group]
            content, line = tuple(values[row].tolist()), lines[places[row]]
            if alike[place]:
                stays[group][row] = not self._is_echo(names, content, line)
            else:
                self._remember(_content(content), line)
        return stays

    def table(self) -> Table:
        """Return the rows as a table, without templates that occurred too rarely (settings, summaries, other text)."""
        table = self._collector.table()
        if TEMPLATE not in table.columns:
            return table
        template = table.dense(TEMPLATE).astype(int)
        del table.columns[TEMPLATE]
        frequent = [number for number, count in self._seen.items() if count >= self._needed[number]]
        keep = np.isin(template, frequent)
        place = np.cumsum(keep) - 1
        columns = {}
        for name, column in table.columns.items():
            inside = keep[column.rows]
            if inside.any():
                columns[name] = Column(place[column.rows[inside]], column.values[inside])
        return Table(columns, int(keep.sum()), table.notes)


def _is_another_hosts(earlier: str, line: str, first: str) -> bool:
    """Return whether the lines are equal from the first name on, and differ before it in more than the time."""
    mine, theirs = max(line.find(first), 0), max(earlier.find(first), 0)
    if line[mine:] != earlier[theirs:]:
        return False
    return _prefix(line[:mine]) != _prefix(earlier[:theirs])


@lru_cache(maxsize=4096)
def _prefix(text: str) -> list[str]:
    return without_times(text).split()


def _content(values: Sequence[float]) -> tuple[float | str, ...]:
    """Return the values with each NaN as text, so that equal rows compare as equal: NaN does not equal NaN."""
    content = tuple(values)
    return content if sum(content) == sum(content) else tuple("nan" if x != x else x for x in content)
