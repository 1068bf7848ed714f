"""Logs with one JSON object per line: LLaMA-Factory, detectron2, mmdetection and many training scripts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...record import Run
from ..meaning.names import role_of
from ..options import Options
from ..rows.collector import MODE_KEYS, Collector, number, numbers_in
from ..rows.runs import runs_from_rows
from ..source import Source
from ._frames import add_frame, numbers_wide

if TYPE_CHECKING:
    import polars as pl

KIND = "json-lines"
BLOCK = 1 << 26
SAMPLE = 1 << 16  # bytes that show which keys hold numbers


def sniff(source: Source) -> float:
    lines = [line for line in source.text_head.splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith("{"):
        return 0.0
    if len(lines) > 1:
        lines = lines[:-1][:8]  # the last one may be cut off, by the end of the head or by a crash
    if len(lines) == 1 and not _is_row(row := _parsed(lines[0])):
        return 0.3 if isinstance(row, dict) else 0.0  # one object with nested numbers: more likely a document
    return 0.8 if all(isinstance(_parsed(line), dict) for line in lines[:4]) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    collector, skipped = Collector(), 0
    for block in source.line_blocks(BLOCK):
        if not _add_with_polars(collector, block):
            skipped += _add_line_by_line(collector, block)
    table = collector.table()
    table.skipped = skipped + source.skipped_long_lines
    return runs_from_rows(table, source.name, KIND, options) if table.columns else []


def _parsed(line: str | bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and any(
        number(cell) is not None and role_of(str(name)).kind in ("loss", "accuracy", "step", "epoch")
        for name, cell in value.items()
    )


def _add_with_polars(collector: Collector, block: bytes) -> bool:
    """Add flat objects of plain numbers, the usual case, with polars. Return False if the block holds other objects."""
    frame = _like_its_sample(block) if len(block) > 2 * SAMPLE else None
    if frame is None:
        frame = _inferred(block)
    if frame is None:
        return False
    import polars as pl

    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if {name.lower() for name in texts} & MODE_KEYS:
        return False
    add_frame(collector, frame.with_columns(pl.col(texts).cast(pl.Float64, strict=False)))
    return True


def _inferred(block: bytes) -> pl.DataFrame | None:
    """Return the block as a frame, with types that polars infers from every cell; None if it is not flat."""
    # A bare NaN or Infinity is not valid JSON; polars refuses or drops it.
    if b"NaN" in block or b"Infinity" in block or block.count(b"{") != block.count(b"\n") + (not block.endswith(b"\n")):
        return None
    import polars as pl

    try:
        frame = pl.read_ndjson(block, infer_schema_length=None)
    except Exception:  # polars raises several kinds of exceptions, some of them panics
        return None
    plain = all(dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null) for dtype in frame.dtypes)
    return frame if plain else None


def _like_its_sample(block: bytes) -> pl.DataFrame | None:
    """Return the block as a frame, or None if a line has a key or type that the first lines do not have."""
    sample = _inferred(block[: block.find(b"\n", SAMPLE) + 1])
    if sample is None:
        return None
    import polars as pl

    try:
        frame = pl.read_ndjson(block, schema=numbers_wide(sample))
    except Exception:
        return None
    # polars skips keys that are not in the schema, so compare the number of values read with those in the text.
    read = sum(frame.height - cells.null_count() for cells in frame)
    written = block.count(b'":')
    return frame if read == written or read + block.count(b"null") == written else None


def _add_line_by_line(collector: Collector, block: bytes) -> int:
    skipped = 0
    for line in block.splitlines():
        row = _parsed(line)
        if isinstance(row, dict) and (numbers := numbers_in(row)):
            collector.add(numbers)
        elif line.strip():
            skipped += 1
    return skipped
