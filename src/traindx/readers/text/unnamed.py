"""Lines of a count and a number, `99 678.23`: what `print(step, loss)` leaves."""

from __future__ import annotations

import re

import numpy as np

from ..rows.table import Table, from_dense

_COUNT_AND_NUMBER = re.compile(
    r"\s*(\d{1,9})\s*[\s:,;|]\s*(?:tensor\()?([-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|nan|inf))"
    r"(?:,\s*(?:device|grad_fn|dtype)=.*)?\)?\s*",
    re.IGNORECASE,
)
FEWEST, MOST = 5, 1_000_000
LONGEST = 100


class Unnamed:
    """Fed with lines; a table where all of them that matter had this form and the count goes up evenly."""

    def __init__(self) -> None:
        self._counts: list[int] = []
        self._values: list[float] = []

    def add(self, line: str) -> None:
        if len(line) > LONGEST or len(self._counts) >= MOST:
            return
        if found := _COUNT_AND_NUMBER.fullmatch(line):
            self._counts.append(int(found[1]))
            self._values.append(float(found[2]))

    def table(self) -> Table | None:
        counts = np.asarray(self._counts, np.float64)
        strides = np.unique(np.diff(counts))
        if len(counts) < FEWEST or len(strides) != 1 or strides[0] <= 0:
            return None
        every = np.ones(len(counts), bool)
        table = from_dense({"step": counts, "loss": np.asarray(self._values)}, {"step": every, "loss": every})
        table.notes.append("lines of a count and a number, without names: read as the step and its loss")
        return table
