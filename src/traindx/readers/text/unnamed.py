"""Numbers without names, as `print(step, loss)` or `savetxt` write them, and lines of `step split value`."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ...record.types import FloatArray
from ..meaning.names import PHASES, role_of
from ..rows.collector import Collector
from ..rows.table import Table, from_dense

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+|nan|inf)"
_ROW = re.compile(
    rf"\s*\[?\s*(?:tensor\()?({_NUMBER}(?:(?:\s*[:,;|]\s*|\s+)(?:tensor\()?{_NUMBER}){{0,15}})(?:,\s*(?:device|grad_fn|dtype)=.*)?\)?\s*[\],;]?\s*",
    re.IGNORECASE,
)
_CELLS = re.compile(_NUMBER, re.IGNORECASE)
_LABELLED = re.compile(rf"\s*(\d{{1,9}})[\s:,;|]+([A-Za-z][\w-]{{0,20}})[\s:=,;|]+({_NUMBER})\s*", re.IGNORECASE)
_HEADER = re.compile(r"[\s%#]*\"?([A-Za-z][\w /.-]{0,30}(?:\([\w /.-]{1,20}\))?)\"?\s*")
FEWEST, MOST = 5, 1_000_000
LONGEST = 200
MOST_UNCOUNTED = 4  # columns; wider tables of numbers are more likely data than a log


class Unnamed:
    """Receives lines, and gives a table if nearly all of them have one of these forms."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []
        self._labelled: list[tuple[float, str, float]] = []
        self._header = ""
        self._others = 0

    def add(self, line: str) -> None:
        if len(line) > LONGEST or len(self._rows) >= MOST or len(self._labelled) >= MOST:
            self._others += 1
        elif found := _ROW.fullmatch(line):
            self._rows.append(tuple(map(float, _CELLS.findall(found[1]))))
        elif found := _LABELLED.fullmatch(line):
            self._labelled.append((float(found[1]), found[2], float(found[3])))
        elif line and not line.isspace():
            if not self._rows and (found := _HEADER.fullmatch(line)):
                self._header = found[1].strip()
            else:
                self._others += 1

    def fits(self, line: str) -> bool:
        """Return whether the line has one of these forms."""
        return len(line) <= LONGEST and bool(_ROW.fullmatch(line) or _LABELLED.fullmatch(line))

    def pass_over(self, lines: int) -> None:
        """Count this many lines as having another form."""
        self._others += lines

    def table(self) -> Table | None:
        if len(self._labelled) >= FEWEST and len(self._labelled) > len(self._rows):
            return self._by_split()
        widths = Counter(map(len, self._rows))
        if not widths or max(widths.values()) < FEWEST:
            return None
        width = max(widths, key=lambda w: widths[w])
        cells = np.array([row for row in self._rows if len(row) == width])
        nothing_else = len(cells) >= 0.9 * (len(self._rows) + self._others)
        if width == 1:
            # Any list of numbers has this form, so it counts only if the text holds little else.
            return self._bare(cells[:, 0]) if nothing_else else None
        if _counts(cells[:, 0], strictly=not nothing_else):
            return self._counted(cells)
        return self._uncounted(cells) if nothing_else and width <= MOST_UNCOUNTED else None

    def _bare(self, values: FloatArray) -> Table | None:
        if not self._header and np.all(values == np.floor(values)):
            return None
        name, meaning = _meaning(values)
        table = _filled({self._header or name: values})
        if not self._header:
            table.notes.append(f"one number per line, without a name: read as {meaning}")
        return table

    def _counted(self, cells: FloatArray) -> Table | None:
        if np.all(cells[:, 1] == np.floor(cells[:, 1])):
            return None
        name, meaning = _meaning(cells[:, 1])
        names = ["step", name, *(f"column {number}" for number in range(3, cells.shape[1] + 1))]
        table = _filled({name: cells[:, place] for place, name in enumerate(names)})
        table.notes.append(f"lines of a count and a number, without names: read as the step and {meaning}")
        if names[2:]:
            table.notes.append(f"not read: {', '.join(names[2:])} (--map val_loss='column 3' reads one)")
        return table

    def _uncounted(self, cells: FloatArray) -> Table | None:
        """Read rows of losses only, or of losses after an epoch that is the same in many rows."""
        whole = np.all(cells == np.floor(cells), axis=0)
        moves = np.diff(cells[:, 0])
        if whole[0] and cells.shape[1] > 1 and np.mean(moves >= 0) > 0.95 and np.mean(moves == 0) > 0.5:
            cells, whole = cells[:, 1:], whole[1:]
        if whole.any():
            return None
        name, meaning = _meaning(cells[:, 0])
        names = [name, *(f"column {number}" for number in range(2, cells.shape[1] + 1))]
        table = _filled({name: cells[:, place] for place, name in enumerate(names)})
        table.notes.append(f"rows of numbers, without names: the first is read as {meaning}")
        return table

    def _by_split(self) -> Table | None:
        """Read one line per split: `100 train 2.31`, `100 val 2.45`."""
        words = {word for _, word, _ in self._labelled}
        if not any(PHASES.get(word.lower()) == "train" or role_of(word).kind == "loss" for word in words):
            return None
        collector = Collector()
        for count, word, value in self._labelled:
            name = f"{word} loss" if word.lower() in PHASES else word
            collector.add({"step": count, name: value})
        table = collector.table()
        table.notes.append("lines of a step, a split and a number: read as the loss of that split")
        return table


def _meaning(values: FloatArray) -> tuple[str, str]:
    """The name of numbers without one, and the words for it.

    What rises fast from its lowest value and levels off below 1, or below 100 %, is an accuracy: a loss that leaves its
    level upward speeds up.
    """
    finite = values[np.isfinite(values)]
    parts = [float(part.mean()) for part in np.array_split(finite, 4)] if len(finite) >= FEWEST else []
    rises = len(parts) > 0 and float(finite[0]) == finite.min() >= 0 and all(np.diff(parts) >= 0)
    levels_off = rises and 2 * (parts[3] - parts[1]) <= parts[1] - float(finite[0])
    if levels_off and (finite.max() <= 1.0 or 50.0 < finite.max() <= 100.0):
        return "accuracy", "an accuracy, because it rises and levels off"
    return "loss", "the training loss"


def _counts(column: FloatArray, strictly: bool) -> bool:
    """Return whether the column holds whole numbers at equal distances. If not `strictly`, it may restart."""
    if not np.all(column == np.floor(column)) or np.any(column < 0):
        return False
    moves = np.diff(column)
    ahead = moves[moves > 0]
    if strictly:
        return len(np.unique(moves)) == 1 and moves[0] > 0
    return len(ahead) >= 0.7 * len(moves) and len(ahead) > 0 and float(np.mean(ahead == np.median(ahead))) >= 0.9


def _filled(columns: dict[str, FloatArray]) -> Table:
    every = np.ones(max(map(len, columns.values())), bool)
    return from_dense(columns, dict.fromkeys(columns, every))
