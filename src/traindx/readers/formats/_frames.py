"""Reads blocks of a table or of JSON lines: with polars, or where they are small without it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ...record.types import FloatArray, IntArray
from ..rows.collector import MODE_KEYS, Collector

if TYPE_CHECKING:
    import polars as pl


def add_frame(collector: Collector, frame: pl.DataFrame) -> None:
    """Add the numeric columns of a frame. A null becomes an empty cell."""
    import polars as pl

    everywhere = np.arange(frame.height)
    columns = {}
    for name, dtype in frame.schema.items():
        if not dtype.is_numeric():
            continue
        cells = frame[name]
        if cells.null_count() == 0:
            columns[name] = (everywhere, cells.cast(pl.Float64).to_numpy())
        elif cells.null_count() < frame.height:
            rows = np.flatnonzero(cells.is_not_null().to_numpy())
            columns[name] = (rows, cells.drop_nulls().cast(pl.Float64).to_numpy())
    collector.add_block(frame.height, columns)


def numbers_wide(frame: pl.DataFrame) -> dict[str, pl.DataType]:
    """Return the frame's schema with every number as a float, to read further rows of the same table with."""
    import polars as pl

    return {name: pl.Float64() if dtype.is_numeric() else dtype for name, dtype in frame.schema.items()}


_PLAIN = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
# Words of other letters are no numbers for anybody.
_TEXT = re.compile(r"(?![-+]?(?:nan|inf))(?=.*[^-+0-9eE._,])[^\"]+", re.IGNORECASE | re.DOTALL)

Columns = dict[str, tuple[IntArray, FloatArray]]


def plain_cells(block: bytes, separator: str, names: list[str], padding: str) -> tuple[int, Columns] | None:
    """Return how many rows the block has, and for each column with a number the rows and values of its numbers."""
    try:
        lines = block.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None
    if '"' in "".join(lines) or not all(lines):
        return None
    cells: list[list[float]] = [[] for _ in names]
    filled: list[list[int]] = [[] for _ in names]
    for row, line in enumerate(lines):
        for place, cell in enumerate(line.split(separator, len(names))[: len(names)]):
            text = cell.strip(padding)
            if _PLAIN.fullmatch(text):
                cells[place].append(float(text))
                filled[place].append(row)
            elif text and not _TEXT.fullmatch(text):
                return None
    everywhere = np.arange(len(lines))
    found = {}
    for name, values, rows in zip(names, cells, filled, strict=True):
        if values:
            at = everywhere if len(rows) == len(lines) else np.array(rows, np.int64)
            found[name] = (at, np.array(values))
    return len(lines), found


SAMPLE = 1 << 16  # bytes that show which keys hold numbers
# Polars makes a cell for each key in each line. Where every line has keys of its own, that would fill the memory.
MOST_CELLS = 1 << 22
COLON = ord(":")
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')
_NULL = re.compile(rb'(?<!\\)":\s*null\s*[,}]')  # a quote after no backslash is outside of strings
# Python writes NaN and Infinity, which are not JSON. Polars reads these numbers in their place.
_NOT_FINITE = re.compile(rb"(?<=[:\s])(-?)(NaN|Infinity)(?=\s*[,}])")
_STAND_INS = {b"NaN": 8.98846567431157e307, b"Infinity": 8.98846567431158e307}


class FlatObjects:
    """Makes frames of the blocks of one log, and remembers which keys hold numbers."""

    def __init__(self) -> None:
        self._schema: dict[str, pl.DataType] = {}

    def frame(self, block: bytes) -> pl.DataFrame | None:
        """Return the numbers of a block; None if it holds other objects, which are read line by line."""
        block, replaced = _without_not_finite(block)
        frame = self._by_schema(block) if self._schema else None
        if frame is None and len(block) > 2 * SAMPLE:
            sample = _inferred(block[: block.find(b"\n", SAMPLE) + 1])
            if sample is not None and numbers_wide(sample) != self._schema:
                self._schema = numbers_wide(sample)
                frame = self._by_schema(block)
        if frame is None:
            frame = _inferred(block)
            if frame is None:
                return None
            self._schema = numbers_wide(frame)
        import polars as pl

        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        if {name.lower() for name in texts} & MODE_KEYS:
            return None
        if texts:
            frame = frame.with_columns(pl.col(texts).cast(pl.Float64, strict=False))
        return _with_not_finite(frame) if replaced else frame

    def _by_schema(self, block: bytes) -> pl.DataFrame | None:
        """Return the block as a frame, or None if a line has another key or type than the schema."""
        if len(self._schema) * block.count(b"\n") > MOST_CELLS:
            return None
        import polars as pl

        try:
            frame = pl.read_ndjson(block, schema=self._schema)
        except Exception:  # polars raises several kinds of exceptions
            return None
        # polars skips keys that are not in the schema, so compare the number of values read with those in the text.
        read = sum(frame.height - cells.null_count() for cells in frame)
        if read == np.count_nonzero(np.frombuffer(block, np.uint8) == COLON):
            return frame  # usually no text holds a colon; these are counted faster than pairs of characters
        written = block.count(b'":')
        return frame if read == written or read + len(_NULL.findall(block)) == written else None


def _inferred(block: bytes) -> pl.DataFrame | None:
    """Return the block as a frame, with types that polars infers from every cell; None if it is not flat."""
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if _may_be_not_finite(block) or block.count(b"{") != lines:
        return None
    if len(set(_KEY.findall(block))) * lines > MOST_CELLS:
        return None
    import polars as pl

    try:
        frame = pl.read_ndjson(block, infer_schema_length=None)
    except Exception:  # polars raises several kinds of exceptions, some of them panics
        return None
    plain = all(dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null) for dtype in frame.dtypes)
    return frame if plain else None


def _may_be_not_finite(block: bytes) -> bool:
    """Return whether one of the words is there. A single letter is found far faster, and mostly is not there."""
    return (b"N" in block and b"NaN" in block) or (b"I" in block and b"Infinity" in block)


def _without_not_finite(block: bytes) -> tuple[bytes, bool]:
    """Put stand-ins in the place of NaN and Infinity, and return whether there were any."""
    if not _may_be_not_finite(block):
        return block, False
    stand_ins = {word: repr(number).encode() for word, number in _STAND_INS.items()}
    if any(number in block for number in stand_ins.values()):
        return block, False
    return _NOT_FINITE.sub(lambda found: found[1] + stand_ins[found[2]], block), True


def _with_not_finite(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    numbers = pl.col(pl.Float64)
    nan, infinite = _STAND_INS[b"NaN"], _STAND_INS[b"Infinity"]
    return frame.with_columns(
        pl.when(numbers.abs() == nan)
        .then(float("nan"))
        .when(numbers.abs() == infinite)
        .then(numbers.sign() * float("inf"))
        .otherwise(numbers)
        .name.keep()
    )
