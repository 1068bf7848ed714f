"""Logs with one JSON object per line: LLaMA-Factory, detectron2, mmdetection and many training scripts."""

from __future__ import annotations

from collections import deque
from typing import Any

from ...record import Run
from ..meaning.names import role_of
from ..options import Options
from ..rows.collector import Collector, number, numbers_in, parsed
from ..rows.runs import runs_from_rows
from ..source import Source
from ..text.crash import TAIL, with_crash
from ._frames import FlatObjects, add_frame

KIND = "json-lines"
BLOCK = 1 << 23
SMALL = 1 << 17  # bytes that are read sooner than polars is imported


def sniff(source: Source) -> float:
    lines = [line for line in source.text_head.splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith("{"):
        return 0.0
    if len(lines) > 1:
        lines = lines[:-1][:8]  # the last one may be cut off, by the end of the head or by a crash
    if len(lines) == 1 and not _is_row(row := parsed(lines[0])):
        return 0.3 if isinstance(row, dict) else 0.0  # one object with nested numbers: more likely a document
    return 0.8 if all(isinstance(parsed(line), dict) for line in lines[:4]) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    collector, objects = Collector(), FlatObjects()
    skipped, tail = 0, deque[str](maxlen=TAIL)
    for block in source.line_blocks(BLOCK):
        frame = objects.frame(block) if len(block) > SMALL else None
        if frame is None:
            skipped += _add_line_by_line(collector, block, tail)
        else:
            add_frame(collector, frame)
            tail.clear()
    table = collector.table()
    table.skipped = skipped + source.skipped_long_lines
    return with_crash(runs_from_rows(table, source.name, KIND, options), list(tail)) if table.columns else []


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and any(
        number(cell) is not None and role_of(str(name)).kind in ("loss", "accuracy", "step", "epoch")
        for name, cell in value.items()
    )


def _add_line_by_line(collector: Collector, block: bytes, tail: deque[str]) -> int:
    """`tail` collects the other lines since the last row: a script that prints rows may end in a traceback."""
    skipped = 0
    for line in block.splitlines():
        row = parsed(line)
        if isinstance(row, dict) and (numbers := numbers_in(row)):
            collector.add(numbers)
            tail.clear()
        elif line.strip():
            skipped += 1
            tail.append(line.decode(errors="replace"))
    return skipped
