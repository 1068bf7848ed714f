"""Reads the lines of a text one by one, in order: what a line says may depend on the lines before it."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import bare_phase, role_of
from ..rows.collector import Collector, number, numbers_in, parsed
from ..rows.table import BoolArray, Column, Table
from .evaluations import Evaluations, Headings
from .phrases import BROKEN, Said, said, without_times
from .positions import MEAN, POSITION, Positions
from .tables import Tables
from .unnamed import Unnamed

MARK = ":::ML"
_LINE = re.compile(r":::ML[A-Za-z0-9-]*\s+(?:[\d.]+\s+)?(?:([\w/-]+):\s*)?(\{.*\})")


def said_by_mlperf(line: str) -> Said | None:
    """Return what the line says, or None if it holds no measurement."""
    found = _LINE.search(line)
    content = parsed(found[2]) if found else None
    if found is None or not isinstance(content, dict):
        return None
    key, value = found[1] or str(content.get("key", "")), content.get("value")
    values = numbers_in(value) if isinstance(value, dict) else {key: value}
    measured = {
        name if name == key else f"{key}/{name}": x
        for name, cell in values.items()
        if (x := number(cell)) is not None and role_of(name).kind in _MEASURED and not key.startswith("opt_")
    }
    if not measured:
        return None
    return Said({**measured, **_place(content.get("metadata"))}, places=None)


def _place(metadata: Any) -> dict[str, float]:
    """Return the step and the epoch among the metadata, under the names `step` and `epoch`."""
    found: dict[str, float] = {}
    for name, cell in metadata.items() if isinstance(metadata, dict) else ():
        x = number(cell)
        if x is None:
            continue
        if name in ("epoch", "epoch_num", "current_epoch"):
            found["epoch"] = x
        elif name in ("step", "step_num", "iteration", "iter", "global_step", "current_iter_num"):
            found["step"] = x
    return found


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
        elif (found := said(line)) is not None:
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

    def _add(self, found: Said, line: str) -> None:
        if (row := self.positions.place(found)) is not None:
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
        self._recent: OrderedDict[bytes, str] = OrderedDict()  # the values of a row, which may be NaN, and its line

    def add(self, row: dict[str, float], line: str) -> None:
        if self._is_echo(tuple(row), array("d", row.values()).tobytes(), line):
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
            alone = len(kept) == 1
            rows = np.arange(len(order)) if alone else np.searchsorted(order, places[keep]).astype(np.int64)
            self._seen[template] += len(rows)
            for name, cells in (
                *zip(names, values[keep].T, strict=True),
                (TEMPLATE, np.full(len(rows), template, float)),
            ):
                found = columns.setdefault(name, ([], []))
                found[0].append(rows)
                found[1].append(cells)
        joined: dict[tuple[int, ...], IntArray] = {}  # columns of the same lines share their row numbers
        block = {}
        for name, (parts, cells) in columns.items():
            shared = tuple(map(id, parts))
            if shared not in joined:
                joined[shared] = parts[0] if len(parts) == 1 else np.concatenate(parts)
            block[name] = joined[shared], cells[0] if len(cells) == 1 else np.concatenate(cells)
        self._collector.add_block(len(order), block)

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

    def _is_echo(self, names: tuple[str, ...], values: bytes, line: str) -> bool:
        """Return whether another host has printed the same line: same numbers, other prefix."""
        earlier = self._recent.get(values)
        if earlier is not None and _is_another_hosts(earlier, line, names[0]):
            return True
        self._remember(values, line)
        return False

    def _remember(self, values: bytes, line: str) -> None:
        self._recent[values] = line
        if len(self._recent) > HOSTS_APART:
            self._recent.popitem(last=False)

    def _without_echoes(self, groups: list[Any], lines: list[str]) -> list[BoolArray]:
        """Mark the rows of each group that are not echoes.

        Only the first rows and rows that seem equal to others are compared, and only the last ones remembered.
        """
        stays = [np.ones(len(places), bool) for places, *_ in groups]
        # Equal rows have equal hashes. A collision of different rows only costs time.
        sums = np.concatenate([np.ascontiguousarray(v).view(np.int64) @ _WEIGHTS[: v.shape[1]] for *_, v in groups])
        owners = np.repeat(np.arange(len(groups)), [len(stay) for stay in stays])
        rows = np.concatenate([np.arange(len(stay)) for stay in stays])
        order = np.arange(len(sums))
        if len(groups) > 1:
            order = np.argsort(np.concatenate([places for places, *_ in groups]), kind="stable")
        in_turn = np.sort(sums)
        twice = in_turn[1:][in_turn[1:] == in_turn[:-1]]
        alike = np.isin(sums[order], twice) if len(twice) else np.zeros(len(sums), bool)
        alike[:HOSTS_APART] = True
        looked_at = alike.copy()
        looked_at[-HOSTS_APART:] = True
        chosen = order[looked_at]
        content = [(v.shape[1] * v.itemsize, np.ascontiguousarray(v).tobytes()) for *_, v in groups]
        for owner, row, compared in zip(
            owners[chosen].tolist(), rows[chosen].tolist(), alike[looked_at].tolist(), strict=True
        ):
            places, names, _ = groups[owner]
            width, all_values = content[owner]
            values, line = all_values[row * width : (row + 1) * width], lines[places[row]]
            if not compared:
                self._remember(values, line)
            elif self._is_echo(names, values, line):
                stays[owner][row] = False
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
    if line == earlier:
        return False
    mine, theirs = max(line.find(first), 0), max(earlier.find(first), 0)
    if line[mine:] != earlier[theirs:]:
        return False
    return _prefix(line[:mine]) != _prefix(earlier[:theirs])


@lru_cache(maxsize=4096)
def _prefix(text: str) -> list[str]:
    return without_times(text).split()
