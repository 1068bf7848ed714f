"""Free text: what training scripts print, in any style, and parts of it that people paste."""

from __future__ import annotations

import re

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ..meaning.names import role_of
from ..options import Options
from ..rows.runs import runs_from_rows
from ..rows.table import Column, Table, from_dense, training_losses
from ..source import Source
from ..text.blocks import Blocks
from ..text.decimals import decimal_commas, with_points
from ..text.lines import Lines
from ..text.phrases import BROKEN, without_times
from ..text.positions import resolve
from .json_document import find_history, parse_text

KIND = "text"
FEWEST_IN_LIST = 8
_LIST = re.compile(r"\s*(?:[A-Za-z][\w .-]{0,40}[:=]\s*)?\[([^\[\]]*)\]")


def sniff(source: Source) -> float:
    """Accept any text, as the last resort. Only reading it shows whether its numbers have names."""
    return 0.2 if source.is_text else 0.0


def read(source: Source, options: Options) -> list[Run]:
    lines = Lines(set(options.columns.values()) | {options.step or ""})
    blocks = Blocks(lines)
    speaks_of_loss, history = False, _History()
    commas = decimal_commas(without_times(source.text_head))
    for text in source.text_blocks():
        speaks_of_loss = speaks_of_loss or "loss" in text.lower()
        if "{" in text or "]" in text:
            text = history.taken_from(text)
        blocks.add(with_points(text) if commas else text)
    lines.end()
    table = lines.rows.table()
    if not training_losses(table):
        table = history.table or lines.unnamed.table() or table
    source.skipped_long_lines += lines.passed_over
    if not table.columns and not speaks_of_loss:
        return []
    table.skipped = source.skipped_long_lines
    _add_breakdowns(table)
    resolve(table, training_losses(table))
    return runs_from_rows(table, source.name, KIND, options)


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
