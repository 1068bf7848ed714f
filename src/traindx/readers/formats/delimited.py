"""CSV and TSV tables with a header line, such as Lightning's metrics.csv and those of Keras, ultralytics, algoperf.

Also tables with one value per row: exports of MLflow and other trackers with columns `metric`, `step` and `value`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...record import Run
from ..meaning.names import role_of
from ..options import Options, ReaderError
from ..rows.collector import Collector, decimal_commas, number, table_of
from ..rows.runs import runs_from_rows
from ..rows.table import Column, Table
from ..source import HEAD, Source
from ._frames import add_frame, numbers_wide, plain_cells

if TYPE_CHECKING:
    import polars as pl

_EXPORTED = re.compile(r"(.+?) - (.+?)(__MIN|__MAX)?")  # a column of an exported W&B chart: run - metric
_TENSORBOARD = {"wall time", "step", "value"}  # the header of an exported TensorBoard chart

KIND = "csv"
BLOCK = 1 << 20  # larger ones leave the caches of the processor
SAMPLE = 1 << 16  # bytes that show which columns hold numbers
SMALL = 1 << 17  # bytes that are read sooner than polars is imported
_SEPARATORS = ",\t;"
_PADDING = " \t*\"'%"


def sniff(source: Source) -> float:
    if not source.is_dir and _long_header(source) is not None:
        return 0.95
    found = _shape(source)
    if found is None:
        return 0.0
    _, names = found
    return 0.9 if any(role_of(name).kind in ("loss", "epoch", "step", "accuracy") for name in names) else 0.55


def read(source: Source, options: Options) -> list[Run]:
    if long := _long_header(source):
        return _read_long(source, *long, options)
    found = _shape(source)
    if found is None:
        raise ReaderError(f"{source.name} has no header line above rows of numbers")
    separator, names = found
    collector, blocks = Collector(), _Blocks(separator, names, _decimal_commas(source, separator))
    for place, block in enumerate(source.line_blocks(BLOCK)):
        blocks.add_to(collector, block, _after_header(block) if place == 0 else 0)
    table = collector.table()
    table.skipped = source.skipped_long_lines
    _name_after_the_file(table, source)
    if exported := _tables_of_export(table):
        return _runs_of_export(exported, source.name, options)
    return runs_from_rows(table, source.name, KIND, options) if table.columns else []


def _name_after_the_file(table: Table, source: Source) -> None:
    """Give the one column of a chart that TensorBoard exported, `Value`, the tag that stands in the file's name."""
    if {name.lower() for name in table.columns} != _TENSORBOARD:
        return
    value = next(name for name in table.columns if name.lower() == "value")
    tag = source.path.stem.rpartition("tag-")[2]
    if role_of(tag).kind == "other":
        tag = "loss"
        table.notes.append(
            f"neither {value} nor the file's name says what was measured: it is read as the training loss"
        )
    table.columns[tag] = table.columns.pop(value)


def _runs_of_export(exported: dict[str, Table], source: str, options: Options) -> list[Run]:
    runs: list[Run] = []
    for name, table in exported.items():
        runs += runs_from_rows(table, f"{source} ({name})" if len(exported) > 1 else source, KIND, options)
    for place, run in enumerate(runs):
        run.facts["log"].update(runs=len(runs), run=place)
    return runs


def _shape(source: Source) -> tuple[str, list[str]] | None:
    """Return the separator and the column names, if the text begins with a header above rows of numbers."""
    lines = [line for line in source.text_head.splitlines() if line.strip()]
    if len(source.head) >= HEAD:
        lines = lines[:-1]  # the last line may be cut off
    if len(lines) < 2:
        return None
    for separator in _SEPARATORS:
        names = [name.strip(_PADDING + "#") for name in _fields(lines[0], separator)]
        if len(names) < 2 or len([n for n in names if n]) < 2 or any(number(name) is not None for name in names):
            continue
        rows = [_fields(line, separator) for line in lines[1:40]]
        rows = [row for row in rows if [cell.strip(_PADDING) for cell in row] != names]
        whole, numeric = sum(len(row) == len(names) for row in rows), sum(map(_numeric, rows))
        if min(whole, numeric) * 2 > len(rows):
            return separator, _unique(names)
    return None


def _decimal_commas(source: Source, separator: str) -> bool:
    if separator == "," and '"' not in source.text_head:
        return False  # no cell holds a comma
    cells = [cell for line in source.text_head.splitlines()[1:] for cell in _fields(line, separator)]
    return decimal_commas("\n".join(cell.strip(_PADDING) for cell in cells))


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


def _after_header(block: bytes) -> int:
    head = block[:4096]
    begin = len(head) - len(head.lstrip(b"\xef\xbb\xbf\r\n \t"))
    end = block.find(b"\n", begin)
    return end + 1 if end >= 0 else len(block)


class _Blocks:
    """Turns blocks of lines into frames of numbers.

    The first block shows which columns hold numbers. Knowing this, polars reads ten times as fast as when it checks
    every cell first. Only a block that does not fit (text among the numbers) is checked cell by cell.
    """

    def __init__(self, separator: str, names: list[str], decimal_commas: bool) -> None:
        self._separator = separator
        self._decimal_commas = decimal_commas
        self._names = names
        # A header in front of each block sets the number of columns, even if the first row of the block has fewer.
        self._header = separator.join(map(str, range(len(names)))).encode() + b"\n"
        self._schema: dict[str, pl.DataType] = {}

    def add_to(self, collector: Collector, block: bytes, start: int = 0) -> None:
        """Add the numbers in `block` from `start` on."""
        if len(block) <= SMALL and not self._decimal_commas:
            plain = plain_cells(block[start:], self._separator, self._names, _PADDING)
            if plain is not None:
                collector.add_block(*plain)
                return
        add_frame(collector, self._frame(block, start))

    def _frame(self, block: bytes, start: int) -> pl.DataFrame:
        import polars as pl

        block = block[start:]
        frame = self._by_schema(block) if self._schema else None
        if frame is None and len(block) > 2 * SAMPLE:
            self._schema = numbers_wide(self._cell_by_cell(block[: block.find(b"\n", SAMPLE) + 1]))
            frame = self._by_schema(block)
        if frame is None:
            frame = self._cell_by_cell(block)
        frame.columns = self._names
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        if not texts:
            return frame
        cells = pl.col(texts).str.strip_chars(_PADDING)
        if self._decimal_commas:
            cells = cells.str.replace(",", ".", literal=True)
        return frame.with_columns(cells.cast(pl.Float64, strict=False))

    def _by_schema(self, block: bytes) -> pl.DataFrame | None:
        """Return the block as a frame, or None if the known types do not fit all of it."""
        try:
            return self._parsed(block, has_header=False, schema=self._schema)
        except Exception:  # polars raises several kinds of exceptions
            return None

    def _cell_by_cell(self, block: bytes) -> pl.DataFrame:
        block = self._header + block
        try:
            return self._parsed(block, infer_schema_length=None)
        except Exception:  # unbalanced quotes or invalid UTF-8: read every cell as text
            block = block.decode("utf-8", "replace").encode()
            return self._parsed(block, infer_schema=False, quote_char=None, ignore_errors=True)

    def _parsed(self, block: bytes, **how: Any) -> pl.DataFrame:
        import polars as pl

        return pl.read_csv(
            block,
            separator=self._separator,
            truncate_ragged_lines=True,
            null_values=["NA", "None", "null"],
            **how,
        )


def _tables_of_export(table: Table) -> dict[str, Table]:
    """Return the table of each run in an exported W&B chart; nothing if the columns do not have such names."""
    found = {name: match for name in table.columns if (match := _EXPORTED.fullmatch(name))}
    plain = [name for name in table.columns if name not in found]
    counters = [name for name in plain if role_of(name).kind in ("step", "epoch", "seen") or "time" in name.lower()]
    if not found or len(counters) < len(plain) or (not any(match[3] for match in found.values()) and len(plain) != 1):
        return {}
    runs: dict[str, Table] = {}
    for name, match in found.items():
        run = runs.setdefault(match[1], Table({}, table.length, list(table.notes), blank_is_missing=True))
        if not match[3]:
            run.columns[match[2]] = table.columns[name]
    return {name: _filled_rows(run, table, plain) for name, run in runs.items() if run.columns}


def _filled_rows(run: Table, table: Table, counters: list[str]) -> Table:
    """Add the counters of the rows in which this run has a value."""
    filled = run.filled(*run.columns)
    for name in counters:
        column = table.columns[name]
        keep = filled[column.rows]
        run.columns.setdefault(name, Column(column.rows[keep], column.values[keep]))
    return run


_METRIC = ("metric", "metric_name", "metric name", "tag", "key", "variable", "series")
_VALUE = ("value", "metric_value", "metric value")
_STEP = ("step", "epoch", "iteration", "global_step")
_RUN = ("run id", "run_id", "run", "run_name", "run name", "experiment")


def _read_long(source: Source, separator: str, names: list[str], options: Options) -> list[Run]:
    step = _first(names, _STEP)
    by_run: dict[str, dict[float, dict[str, float]]] = {}
    for row in _long_rows(source, separator, names):
        at, value = number(row[step]), number(row[_first(names, _VALUE)])
        if at is not None and value is not None:
            run = row.get(_first(names, _RUN), "")
            by_run.setdefault(run, {}).setdefault(at, {})[row[_first(names, _METRIC)]] = value
    runs: list[Run] = []
    for name, points in by_run.items():
        table = table_of({step: at, **points[at]} for at in sorted(points))
        runs += runs_from_rows(table, f"{source.name} ({name})" if len(by_run) > 1 else source.name, KIND, options)
    return runs


def _long_header(source: Source) -> tuple[str, list[str]] | None:
    """Return the separator and the lower-case column names, if there is a metric, a step and a value among them."""
    first = next((line for line in source.text_head.splitlines() if line.strip()), "") if source.is_text else ""
    for separator in _SEPARATORS:
        names = [name.strip().lower() for name in _fields(first, separator)]
        if _first(names, _METRIC) and _first(names, _VALUE) and _first(names, _STEP):
            return separator, names
    return None


def _first(names: list[str], wanted: tuple[str, ...]) -> str:
    return next((name for name in wanted if name in names), "")


def _long_rows(source: Source, separator: str, names: list[str]) -> Iterator[dict[str, str]]:
    rows = csv.reader(source.lines(), delimiter=separator)
    next(rows, None)
    try:
        for cells in rows:
            if len(cells) == len(names):
                yield dict(zip(names, (cell.strip() for cell in cells), strict=True))
    except csv.Error as error:
        raise ReaderError(f"{source.name} is not a readable table ({error})") from None
