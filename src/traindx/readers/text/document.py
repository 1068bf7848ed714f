"""Reads a whole free text: its lines, the histories and lists that stand in between, and the error that ends it."""

from __future__ import annotations

import re
from collections import deque

import numpy as np

from ...record import Run, RunBuilder
from ...record.types import FloatArray
from ..formats.json_document import find_history, parse_text
from ..meaning.names import role_of
from ..options import Options
from ..rows.collector import decimal_commas, with_points
from ..rows.runs import runs_from_rows
from ..rows.table import Column, Table, from_dense, training_losses
from ..source import Source
from .blocks import Blocks
from .crash import TAIL, crash_in, with_crash
from .lines import Lines
from .phrases import BROKEN, without_times
from .positions import resolve

FEWEST = 3
_SIGNS = ("→", "⟶", "➔")
ARROW = re.compile("|".join((*_SIGNS, "->", "=>")))
_NAMED = re.compile(r"\s*([A-Za-z][\w /.-]{0,40}?)\s*[:=]\s*(\S.*)")


def has_arrow(text: str) -> bool:
    """Return whether there is an arrow; looking for plain strings is far faster than the pattern."""
    return (">" in text and ("->" in text or "=>" in text)) or (not text.isascii() and any(a in text for a in _SIGNS))


class Arrows:
    """Collects the lists; lists of one length are columns of one table."""

    def __init__(self) -> None:
        self._columns: dict[str, FloatArray] = {}

    def taken_from(self, text: str) -> str:
        """Take the lists out of the text, and return the rest."""
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if has_arrow(line) and self._take(line):
                lines[place] = ""
        return "\n".join(lines)

    def _take(self, line: str) -> bool:
        named = _NAMED.fullmatch(line.strip())
        name, cells = (named[1], named[2]) if named else ("loss", line)
        try:
            values = np.array([float(cell.strip(" .…%")) for cell in ARROW.split(cells.strip()) if cell.strip(" .…")])
        except ValueError:
            return False
        if len(values) < FEWEST or name in self._columns:
            return False
        self._columns[name] = values
        return True

    @property
    def table(self) -> Table | None:
        if not self._columns:
            return None
        length = max(len(values) for values in self._columns.values())
        dense = {"row": np.arange(1.0, length + 1)}
        present = {"row": np.ones(length, bool)}
        for name, values in self._columns.items():
            dense[name] = np.concatenate([values, np.full(length - len(values), np.nan)])
            present[name] = np.arange(length) < len(values)
        table = from_dense(dense, present)
        table.notes.append("lists with arrows: each is read as one column, in order")
        return table


FEWEST_IN_LIST = 8
TAIL_CHARACTERS = 20_000
_LIST = re.compile(r"\s*(?:[A-Za-z][\w .-]{0,40}[:=]\s*)?\[([^\[\]]*)\]")


def runs_in(source: Source, kind: str, options: Options) -> list[Run]:
    """Return the runs in a text."""
    lines = Lines(set(options.columns.values()) | {options.step or ""})
    blocks = Blocks(lines)
    speaks_of_loss, history, arrows = False, _History(), Arrows()
    ends: deque[str] = deque(maxlen=TAIL)
    commas = decimal_commas(without_times(source.text_head))
    for text in source.text_blocks():
        speaks_of_loss = speaks_of_loss or "loss" in text.lower()
        if "{" in text or "]" in text:
            text = history.taken_from(text)
        if has_arrow(text):
            text = arrows.taken_from(text)
        ends.append(text[-TAIL_CHARACTERS:])
        blocks.add(with_points(text) if commas else text)
    lines.end()
    tail = [line for end in ends for line in end.splitlines()][-TAIL:]
    table = lines.rows.table()
    if not training_losses(table):
        table = arrows.table or history.table or lines.unnamed.table() or table
    source.skipped_long_lines += lines.passed_over
    if not table.columns and not speaks_of_loss:  # a script may have crashed before it printed a number
        return with_crash([RunBuilder(source.name, kind).build()], tail) if crash_in(tail) else []
    table.skipped = source.skipped_long_lines
    _add_breakdowns(table)
    judged = training_losses(table) or [name for name in table.columns if role_of(name).kind == "accuracy"]
    resolve(table, judged)
    runs = runs_from_rows(table, source.name, kind, options)
    return with_crash(runs, tail)


class _History:
    """Finds histories (`{'loss': [2.5, 2.1], 'val_loss': [...]}`, as `print(history.history)` writes them) and lists.

    Of several histories the longest counts. Each list of numbers, with or without a name before it, is the loss of
    one run.
    """

    def __init__(self) -> None:
        self._table: Table | None = None
        self._lists: list[FloatArray] = []

    @property
    def table(self) -> Table | None:
        if self._table is None and self._lists:
            steps = np.concatenate([np.arange(len(values), dtype=np.float64) for values in self._lists])
            every = np.ones(len(steps), bool)
            table = from_dense({"step": steps, "loss": np.concatenate(self._lists)}, {"step": every, "loss": every})
            table.notes.append("lists of numbers: each is read as the training loss of a run")
            return table
        return self._table

    def taken_from(self, text: str) -> str:
        """Take the histories and lists out of the text, and return the rest."""
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if line[:1] == "{" and ": [" in line and (found := self._in(line)) is not None:
                if self._table is None or found.length >= self._table.length:
                    self._table = found
                lines[place] = ""
            elif line[-1:] == "]" and (values := _list_in(line)) is not None:
                self._lists.append(values)
                lines[place] = ""
        return "\n".join(lines)

    @staticmethod
    def _in(line: str) -> Table | None:
        try:
            return find_history(parse_text(line))
        except (ValueError, RecursionError):
            return None


def _list_in(line: str) -> FloatArray | None:
    """Return the numbers of `NAME: [2.5, 2.1]`, if there are enough and not all of them are whole numbers."""
    found = _LIST.fullmatch(line)
    if found is None:
        return None
    try:
        values = np.array([float(cell) for cell in found[1].split(",")])
    except ValueError:
        return None
    return values if len(values) >= FEWEST_IN_LIST and np.any(values != np.floor(values)) else None


def _add_breakdowns(table: Table) -> None:
    """Turn each message that the loss is non-finite into a NaN of the training loss in that row."""
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
