"""Free text: what training scripts print, in whatever style, and the pieces of it that people paste."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ..meaning.names import role_of
from ..options import Options
from ..rows.runs import runs_from_rows
from ..rows.table import Column, Table, training_losses
from ..source import Source
from ..text.blocks import Blocks
from ..text.decimals import decimal_commas, with_points
from ..text.lines import Lines
from ..text.phrases import BROKEN, without_times
from ..text.positions import resolve
from .json_document import find_history, parse_text

KIND = "text"


def sniff(source: Source) -> float:
    """The last resort: anything that is text. Whether a number in it has a name shows in reading."""
    return 0.2 if source.is_text else 0.0


def read(source: Source, options: Options) -> list[Run]:
    lines = Lines(set(options.columns.values()) | {options.step or ""})
    blocks = Blocks(lines)
    speaks_of_loss, history = False, _History()
    commas = decimal_commas(without_times(source.text_head))
    for text in source.text_blocks():
        speaks_of_loss = speaks_of_loss or "loss" in text.lower()
        if "{" in text:
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
    _spread_breakdowns(table)
    resolve(table, training_losses(table))
    return runs_from_rows(table, source.name, KIND, options)


class _History:
    """`{'loss': [2.5, 2.1], 'val_loss': [...]}`, as `print(history.history)` writes it. The longest counts."""

    def __init__(self) -> None:
        self.table: Table | None = None

    def taken_from(self, text: str) -> str:
        """The text without such lines."""
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if line[:1] == "{" and ": [" in line and (found := self._in(line)) is not None:
                if self.table is None or found.length >= self.table.length:
                    self.table = found
                lines[place] = ""
        return "\n".join(lines)

    @staticmethod
    def _in(line: str) -> Table | None:
        try:
            return find_history(parse_text(line))
        except (ValueError, RecursionError):
            return None


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
