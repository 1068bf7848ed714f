"""Free text: what training scripts print, in whatever style, and the pieces of it that people paste."""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict

import numpy as np

from ...record import Run
from ..meaning.names import bare_phase, role_of
from ..options import Options
from ..rows.collector import Collector
from ..rows.runs import runs_from_rows
from ..rows.table import Column, Table, training_losses
from ..source import Source
from ..text.bars import MEAN, POSITION
from ..text.decimals import decimal_commas, with_points
from ..text.evaluations import Evaluations
from ..text.headings import Headings
from ..text.mlperf import MARK, said_by_mlperf
from ..text.phrases import BROKEN, Said, without_times
from ..text.positions import Positions, resolve
from ..text.skeletons import Skeletons
from ..text.tables import Tables
from ..text.unnamed import Unnamed
from .json_document import find_history, parse_text

KIND = "text"
TEMPLATE = "(template)"
MOST_TEMPLATES = 20_000
LONGEST_LINE = 1 << 16
# Hosts that print the same line do so within a few lines of each other.
HOSTS_APART = 64
_HAS_NUMBER = re.compile(r"\d|nan|inf", re.IGNORECASE)
_MEASURED = frozenset({"loss", "perplexity", "accuracy", "lr", "grad_norm", "loss_scale", "reward"})
_PLACED = frozenset({"step", "epoch", "seen"})


def sniff(source: Source) -> float:
    """The last resort: anything that is text. Whether a number in it has a name shows in reading."""
    return 0.2 if source.is_text else 0.0


def read(source: Source, options: Options) -> list[Run]:
    lines = _Lines(set(options.columns.values()) | {options.step or ""})
    tables, skeletons, evaluations, headings, unnamed = Tables(), Skeletons(), Evaluations(), Headings(), Unnamed()
    speaks_of_loss = False
    commas = decimal_commas(without_times(source.text_head))
    history: Table | None = None
    for line in source.lines():
        speaks_of_loss = speaks_of_loss or "loss" in line.lower()
        line = with_points(line) if commas else line
        if line[:1] == "{" and "[" in line and (written := _history(line)) is not None:
            if history is None or written.length >= history.length:
                history = written
            continue
        if len(line) > LONGEST_LINE:
            source.skipped_long_lines += 1
        elif MARK in line and (found := said_by_mlperf(line)) is not None:
            lines.add(found, line)
        elif row := tables.row(line):
            lines.add(Said(values=row), line)
        elif not _HAS_NUMBER.search(line):
            headings.line(line)
        elif (found := skeletons.said(line)) is not None:
            if (over := evaluations.over(found, line)) is not None:
                lines.add(*over)
            if not found.evaluating:
                lines.add(evaluations.result(headings.below(found)), line)
        unnamed.add(line)
    if (over := evaluations.over(None, "")) is not None:
        lines.add(*over)
    table = lines.table()
    if not training_losses(table):
        table = history or unnamed.table() or table
    if not table.columns and not speaks_of_loss:
        return []
    table.skipped = source.skipped_long_lines
    _spread_breakdowns(table)
    resolve(table, training_losses(table))
    return runs_from_rows(table, source.name, KIND, options)


def _history(line: str) -> Table | None:
    """`{'loss': [2.5, 2.1], 'val_loss': [...]}`: what `print(history.history)` leaves in one line."""
    try:
        return find_history(parse_text(line))
    except (ValueError, RecursionError):
        return None


class _Lines:
    """Rows of the lines that matter. A *template* is the names in a line: logs repeat theirs, other text does not."""

    def __init__(self, wanted: set[str]) -> None:
        self._wanted = wanted
        self._collector = Collector()
        self._positions = Positions()
        self._templates: dict[tuple[str, ...], int] = {}
        self._needed: list[float] = []  # how often a template must come to count
        self._seen: Counter[int] = Counter()
        self._recent: OrderedDict[tuple[float | str, ...], str] = OrderedDict()

    def add(self, said: Said, line: str) -> None:
        row = self._positions.place(said)
        if row is None or self._is_echo(line, row):
            return
        names = tuple(row)
        if " - ETA: " in line and POSITION in row:
            row[MEAN] = 1.0  # a Keras bar: the mean of the epoch so far
            names = tuple(row)
        template = self._templates.get(names)
        if template is None:
            needed = self._times_needed(names)
            if needed == math.inf or len(self._templates) >= MOST_TEMPLATES:
                return
            template = self._templates[names] = len(self._templates)
            self._needed.append(needed)
        self._seen[template] += 1
        row[TEMPLATE] = float(template)
        self._collector.add(row)

    def _times_needed(self, names: tuple[str, ...]) -> float:
        """A line that says "loss" counts at once; one that may mean something, when it recurs; others never."""
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

    def _is_echo(self, line: str, row: dict[str, float]) -> bool:
        """The same numbers after another prefix: another host printed the same."""
        content: tuple[float | str, ...] = tuple(row.values())
        if any(map(math.isnan, row.values())):
            content = tuple(map(str, content))  # two NaN are not equal
        earlier = self._recent.get(content)
        if earlier is not None and _is_another_hosts(earlier, line, row):
            return True
        self._recent[content] = line
        if len(self._recent) > HOSTS_APART:
            self._recent.popitem(last=False)
        return False

    def table(self) -> Table:
        """Without lines that came once and hold no loss: settings, summaries, chatter."""
        table = self._collector.table()
        if TEMPLATE not in table.columns:
            return table
        template = table.dense(TEMPLATE).astype(int)
        del table.columns[TEMPLATE]
        kept = [number for number, count in self._seen.items() if count >= self._needed[number]]
        keep = np.isin(template, kept)
        place = np.cumsum(keep) - 1
        columns = {}
        for name, column in table.columns.items():
            inside = keep[column.rows]
            if inside.any():
                columns[name] = Column(place[column.rows[inside]], column.values[inside])
        return Table(columns, int(keep.sum()), table.notes)


def _spread_breakdowns(table: Table) -> None:
    """A message that the loss broke down is a NaN of the training loss at that place."""
    losses = training_losses(table)
    if BROKEN not in table.columns:
        return
    if not losses:
        table.columns["loss"] = table.columns[BROKEN]
        return
    best = min(losses, key=lambda name: (role_of(name).rank, -len(table.columns[name].rows)))
    column = table.columns[best]
    rows = np.union1d(column.rows, table.columns[BROKEN].rows)
    table.columns[best] = Column(rows, table.dense(best)[rows])


def _is_another_hosts(earlier: str, line: str, row: dict[str, float]) -> bool:
    """Equal from the first name on, after prefixes that differ in more than the time of day."""
    first = next(iter(row))
    mine, theirs = max(line.find(first), 0), max(earlier.find(first), 0)
    if line[mine:] != earlier[theirs:]:
        return False
    return without_times(line[:mine]).split() != without_times(earlier[:theirs]).split()
