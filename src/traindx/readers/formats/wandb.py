"""Weights & Biases run files (`run-ID.wandb`, also of offline runs) and the folders that hold them.

A file consists of blocks of 32 KiB. Each block holds chunks (checksum, length, type, data), one or more chunks make a
record, and each record is a protocol-buffer message. Only history and configuration are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...record import Run
from ..folders import marked_files
from ..options import Options
from ..rows.collector import Collector, numbers_in, parsed
from ..rows.runs import runs_from_rows
from ..source import Source
from ._wire import BYTES, WireError, fields, varint

KIND = "wandb"
_MARK, _NAMES = b":W&B", "*.wandb"
_BLOCK, _HEADER = 32768, 7
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
# Field numbers of the messages, from W&B's public protocol-buffer definition.
_HISTORY, _CONFIG, _RUN, _RUN_CONFIG = 2, 5, 17, 4
_ITEMS, _STEP, _KEY, _NESTED_KEY, _VALUE = 1, 2, 1, 2, 16
LARGEST_RECORD = 1 << 26


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.97 if any(marked_files(source.path, _NAMES, _MARK)) else 0.0
    return 1.0 if source.head.startswith(_MARK) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    files = [Source(path) for path in marked_files(source.path, _NAMES, _MARK)] if source.is_dir else [source]
    return [run for file in files for run in _read_file(file, options)]


def _read_file(source: Source, options: Options) -> list[Run]:
    collector = Collector()
    config: dict[str, Any] = {}
    for record in _records(source):
        try:
            for number, kind, start, stop in fields(record, 0, len(record)):
                if kind != BYTES:
                    continue
                if number == _HISTORY:
                    collector.add(numbers_in(_history(record, start, stop)))
                elif number == _CONFIG:
                    config.update(_items(record, start, stop))
                elif number == _RUN:
                    for inner, inner_kind, begin, end in fields(record, start, stop):
                        if inner == _RUN_CONFIG and inner_kind == BYTES:
                            config.update(_items(record, begin, end))
        except WireError:
            continue  # one damaged record: the others are still read
    table = collector.table()
    table.config = {key: value for key, value in config.items() if not key.startswith("_")}
    return runs_from_rows(table, source.name, KIND, options) if table.columns else []


def _records(source: Source) -> Iterator[bytes]:
    """Yield whole records, joined from their chunks. A record that a crash cut off is left out."""
    pending: bytearray | None = None  # the chunks of a record so far; the first may be empty, at the end of a block
    for number, block in enumerate(_blocks(source)):
        at = _HEADER if number == 0 else 0
        while at + _HEADER <= len(block):
            length, kind = int.from_bytes(block[at + 4 : at + 6], "little"), block[at + 6]
            data = block[at + _HEADER : at + _HEADER + length]
            at += _HEADER + length
            if kind not in (_FULL, _FIRST, _MIDDLE, _LAST):
                break  # zeros at the end of a block, or damage: continue with the next block
            if kind in (_FULL, _FIRST):
                pending = bytearray(data)
            elif pending is not None and len(pending) < LARGEST_RECORD:
                pending += data
            else:
                pending = None
            if kind in (_FULL, _LAST) and pending is not None:
                yield bytes(pending)
                pending = None


def _blocks(source: Source) -> Iterator[bytes]:
    rest = b""
    for piece in source.blocks():
        piece = rest + piece
        whole = len(piece) - len(piece) % _BLOCK
        for at in range(0, whole, _BLOCK):
            yield piece[at : at + _BLOCK]
        rest = piece[whole:]
    yield rest


def _history(record: bytes, start: int, stop: int) -> dict[str, Any]:
    row = _items(record, start, stop)
    for number, kind, begin, end in fields(record, start, stop):
        if number == _STEP and kind == BYTES and end > begin:
            row.setdefault("_step", varint(record, begin + 1)[0])
    return row


def _items(record: bytes, start: int, stop: int) -> dict[str, Any]:
    """Return the entries of a history or configuration message; nested keys are joined as paths."""
    names: list[str] = []
    values: list[bytes] = []
    for number, kind, begin, end in fields(record, start, stop):
        if number != _ITEMS or kind != BYTES:
            continue
        keys: list[str] = []
        value = b"null"
        for inner, _, at, past in fields(record, begin, end):
            if inner in (_KEY, _NESTED_KEY):
                keys.append(record[at:past].decode("utf-8", "replace"))
            elif inner == _VALUE:
                value = record[at:past]
        names.append("/".join(keys))
        values.append(value)
    try:  # parsed at once, they cost a third
        return dict(zip(names, json.loads(b"[%s]" % b",".join(values)), strict=True))
    except (ValueError, RecursionError):
        return {name: found for name, value in zip(names, values, strict=True) if (found := parsed(value)) is not None}
