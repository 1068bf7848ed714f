"""Tables with a header line: Lightning's metrics.csv, Keras' CSVLogger, ultralytics, algoperf, any CSV or TSV."""

from __future__ import annotations

import csv
from io import BytesIO

import numpy as np

from ..record import Run
from ._collect import Collector, number
from ._columns import role_of
from ._errors import ReaderError
from ._options import Options
from ._rows import runs_from_rows
from ._source import Source

KIND = "csv"
BLOCK = 1 << 26
_SEPARATORS = ",\t;"
_PADDING = " \t*\"'%"


def sniff(source: Source) -> float:
    found = _shape(source)
    if found is None:
        return 0.0
    _, names = found
    return 0.9 if any(role_of(name).kind in ("loss", "epoch", "step", "accuracy") for name in names) else 0.55


def read(source: Source, options: Options) -> list[Run]:
    found = _shape(source)
    if found is None:
        raise ReaderError(f"{source.name} has no header line over rows of numbers")
    separator, names = found
    collector = Collector()
    for place, block in enumerate(source.line_blocks(BLOCK)):
        if place == 0:
            block = _without_header(block)
        _add(collector, block, separator, names)
    table = collector.table()
    table.skipped = source.skipped_long_lines
    return runs_from_rows(table, source.name, KIND, options) if table.columns else []


def _shape(source: Source) -> tuple[str, list[str]] | None:
    """The separator and the column names, if the text begins with a header over rows of numbers."""
    lines = [line for line in source.text_head.splitlines() if line.strip()]
    if len(source.head) >= 1 << 16:
        lines = lines[:-1]
    if len(lines) < 2:
        return None
    for separator in _SEPARATORS:
        names = [name.strip(_PADDING + "#") for name in _fields(lines[0], separator)]
        if len(names) < 2 or len([n for n in names if n]) < 2 or any(number(name) is not None for name in names):
            continue
        rows = [_fields(line, separator) for line in lines[1:40]]
        rows = [row for row in rows if [cell.strip(_PADDING) for cell in row] != names]
        if (
            rows
            and 2 * sum(len(row) == len(names) for row in rows) > len(rows)
            and sum(map(_numeric, rows)) * 2 > len(rows)
        ):
            return separator, _unique(names)
    return None


def _fields(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _numeric(row: list[str]) -> bool:
    cells = [cell.strip(_PADDING) for cell in row if cell.strip(_PADDING)]
    return sum(number(cell) is not None for cell in cells) * 2 > len(cells)


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        name = name or "index"
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def _without_header(block: bytes) -> bytes:
    return block.lstrip(b"\xef\xbb\xbf\r\n \t").partition(b"\n")[2]


def _add(collector: Collector, block: bytes, separator: str, names: list[str]) -> None:
    import polars as pl

    try:
        frame = pl.read_csv(
            BytesIO(block),
            has_header=False,
            new_columns=names,
            separator=separator,
            infer_schema_length=None,
            truncate_ragged_lines=True,
            null_values=["NA", "None", "null"],
        )
    except Exception:  # polars raises several kinds; a block with broken quotes is read as it stands
        frame = (
            pl.read_csv(
                BytesIO(block),
                has_header=False,
                new_columns=names,
                separator=separator,
                infer_schema=False,
                truncate_ragged_lines=True,
                quote_char=None,
                ignore_errors=True,
            )
            if block.strip()
            else pl.DataFrame()
        )
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    frame = frame.with_columns(pl.col(texts).str.strip_chars(_PADDING).cast(pl.Float64, strict=False))
    columns = {}
    for name, dtype in frame.schema.items():
        if dtype.is_numeric():
            cells = frame[name]
            rows = np.flatnonzero(cells.is_not_null().to_numpy()).astype(np.int64)
            if len(rows):
                columns[name] = (rows, cells.drop_nulls().cast(pl.Float64).to_numpy())
    collector.add_block(frame.height, columns)
