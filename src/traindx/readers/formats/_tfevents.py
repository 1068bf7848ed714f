"""Reads scalars from TensorBoard event files, many records at a time.

A file is a sequence of records: length (8 bytes), checksum (4), event, checksum (4). Events with scalars repeat a few
layouts: the same fields at the same offsets, with other times, steps, tags and values. So only one record of each
layout is parsed field by field. All others of that layout are read as columns of a byte matrix. Of records with
anything else (histograms, images, graphs), only the first record of each layout is parsed.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ...record.types import FloatArray, IntArray, distinct
from ._wire import BYTES, FIXED32, FIXED64, VARINT, WireError, fields, varint

BLOCK = 1 << 20
# Scalar events are small. A longer event is an image, a graph or a histogram.
LONGEST_EVENT = 4096
# No record is this long: its length field is damaged, and the rest of the file cannot be read.
LONGEST_RECORD = 1 << 34
ByteMatrix = NDArray[np.uint8]
_LENGTH = struct.Struct("<Q")


@dataclass
class Scalars:
    """The points of one tag: record number (`order`), wall time (if asked for), step and value."""

    tag: str
    order: NDArray[np.int32]
    wall: FloatArray | None
    steps: NDArray[Any]
    values: NDArray[Any]


@dataclass
class _Value:
    tag: slice
    at: int
    dtype: str


@dataclass
class _Layout:
    """The offsets of the fields in an event of one layout. `free` marks bytes that may differ between its records."""

    wall: int | None = None
    step: slice | None = None
    values: list[_Value] = field(default_factory=list)
    free: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))


def scalars_of(file: IO[bytes], with_wall: bool = False) -> Iterator[Scalars]:
    """Yield all scalars of an event file, one tag at a time, each in the order of the file.

    Stops without an error where the file is cut off or damaged: the file may still be being written.
    """
    parts: dict[str, list[Scalars]] = {}
    records = 0
    for block, starts, lengths in _record_blocks(file):
        content = np.frombuffer(block, np.uint8)
        for length in distinct(lengths):
            if length <= LONGEST_EVENT:
                members = np.flatnonzero(lengths == length)
                rows = sliding_window_view(content, int(length))[starts[members]]
                for part in _scalars_of_size(rows, (members + records).astype(np.int32), with_wall):
                    parts.setdefault(part.tag, []).append(part)
        records += len(starts)
    for tag in list(parts):
        yield _joined(tag, parts.pop(tag))


def _joined(tag: str, parts: list[Scalars]) -> Scalars:
    """Join the parts of one tag. Only here values and steps get 64 bits, which halves the memory needed before."""
    order = np.concatenate([p.order for p in parts])
    walls = [p.wall for p in parts if p.wall is not None]
    steps = np.concatenate([p.steps for p in parts]).astype(np.int64)
    values = np.concatenate([p.values for p in parts]).astype(np.float64)
    if np.all(order[1:] > order[:-1]):
        return Scalars(tag, order, np.concatenate(walls) if walls else None, steps, values)
    sort = np.argsort(order)
    return Scalars(tag, order[sort], np.concatenate(walls)[sort] if walls else None, steps[sort], values[sort])


def _record_blocks(file: IO[bytes]) -> Iterator[tuple[bytes, IntArray, IntArray]]:
    """Yield blocks of whole records: the bytes, and the start and length of each event."""
    rest, damaged = b"", False
    while data := file.read(BLOCK):
        block = rest + data
        starts, lengths, at = array("q"), array("q"), 0
        end = len(block)
        unpack = _LENGTH.unpack_from
        while at + 12 <= end:
            (length,) = unpack(block, at)
            stop = at + length + 16
            if stop > end:
                damaged = length > LONGEST_RECORD
                break
            starts.append(at + 12)
            lengths.append(length)
            at = stop
        if starts:
            yield block, np.frombuffer(starts, np.int64), np.frombuffer(lengths, np.int64)
        if damaged:
            return
        rest = block[at:]
        if len(rest) >= 12 and (missing := unpack(rest, 0)[0] + 16 - len(rest)) > 0 and unpack(rest, 0)[0] > BLOCK:
            # The record, for example an image, is longer than a block: skip it.
            file.seek(missing, 1)
            rest = b""


def _scalars_of_size(rows: ByteMatrix, order: NDArray[np.int32], with_wall: bool) -> Iterator[Scalars]:
    """Yield the scalars of records of one length, layout by layout."""
    left = np.arange(len(rows))
    while len(left):
        layout = _layout(rows[left[0]].tobytes())
        fixed = np.flatnonzero(~layout.free)
        same = np.all(rows[left][:, fixed] == rows[left[0]][fixed], axis=1)
        if layout.step is not None:
            same &= _same_width(rows[left][:, layout.step])
        same[0] = True
        if layout.values:
            yield from _read_layout(layout, rows[left[same]], order[left[same]], with_wall)
        left = left[~same]


def _same_width(step: ByteMatrix) -> NDArray[np.bool_]:
    """Mark the rows that hold one varint of full width: every byte but the last has the continuation bit."""
    continues = step >= 0x80
    return np.asarray(continues[:, :-1].all(axis=1) & ~continues[:, -1])


def _layout(event: bytes) -> _Layout:
    layout = _Layout(free=np.zeros(len(event), bool))
    try:
        for number, kind, start, stop in fields(event, 0, len(event)):
            if number == 1 and kind == FIXED64:
                layout.wall = start
                layout.free[start:stop] = True
            elif number == 2 and kind == VARINT:
                layout.step = slice(start, stop)
                layout.free[start:stop] = True
            elif number == 5 and kind == BYTES:
                _summary(layout, event, start, stop)
    except WireError:
        return _Layout(free=np.zeros(len(event), bool))  # damaged: only identical records share this layout
    return layout


def _summary(layout: _Layout, event: bytes, start: int, stop: int) -> None:
    for number, kind, begin, end in fields(event, start, stop):
        if number != 1 or kind != BYTES:
            continue
        tag: slice | None = None
        found: tuple[int, str] | None = None
        for inner, inner_kind, at, past in fields(event, begin, end):
            if inner == 1 and inner_kind == BYTES:
                tag = slice(at, past)
            elif inner == 2 and inner_kind == FIXED32:
                found = (at, "<f4")
            elif inner == 8 and inner_kind == BYTES:
                found = _scalar_tensor(event, at, past)
        if tag is not None and found is not None:
            at, dtype = found
            layout.values.append(_Value(tag, at, dtype))
            layout.free[tag] = True
            layout.free[at : at + int(dtype[2])] = True


_FLOAT, _DOUBLE = 1, 2


def _scalar_tensor(event: bytes, start: int, stop: int) -> tuple[int, str] | None:
    """Return the offset and type of the number in a tensor of one number; None for other tensors."""
    dtype = 0
    for number, kind, at, past in fields(event, start, stop):
        if number == 1 and kind == VARINT:
            dtype = varint(event, at)[0]
        elif number == 2 and kind == BYTES and any(True for _ in fields(event, at, past)) and past - at > 4:
            return None  # several dimensions: not a scalar
        elif number in (4, 5) and dtype == _FLOAT and past - at == 4:
            return at, "<f4"
        elif number in (4, 6) and dtype == _DOUBLE and past - at == 8:
            return at, "<f8"
    return None


def _read_layout(layout: _Layout, rows: ByteMatrix, order: NDArray[np.int32], with_wall: bool) -> Iterator[Scalars]:
    wall = None
    if with_wall:
        wall = _column(rows, layout.wall, "<f8") if layout.wall is not None else np.zeros(len(rows))
    steps = _varints(rows[:, layout.step]) if layout.step is not None else np.zeros(len(rows), np.int32)
    for value in layout.values:
        numbers = _column(rows, value.at, value.dtype)
        for tag, members in _by_content(rows[:, value.tag]):
            times = None if wall is None else wall[members]
            yield Scalars(tag, order[members], times, steps[members], numbers[members])


def _column(rows: ByteMatrix, at: int, dtype: str) -> NDArray[Any]:
    width = int(dtype[2])
    return np.ascontiguousarray(rows[:, at : at + width]).view(dtype).ravel()


def _varints(cells: ByteMatrix) -> NDArray[Any]:
    total = np.zeros(len(cells), np.uint64)
    for k in range(cells.shape[1]):
        total |= (cells[:, k].astype(np.uint64) & np.uint64(0x7F)) << np.uint64(7 * k)
    # Five or more groups of seven bits may exceed 32 bits. A negative step has ten groups.
    return total.astype(np.int64 if cells.shape[1] > 4 else np.int32)


def _by_content(cells: ByteMatrix) -> Iterator[tuple[str, IntArray]]:
    """Group the rows by the tag in their bytes."""
    if (cells == cells[0]).all():
        yield cells[0].tobytes().decode("utf-8", "replace"), np.arange(len(cells))
        return
    keys = np.ascontiguousarray(cells).view(f"V{cells.shape[1]}").ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(group, kind="stable")
    borders = np.searchsorted(group[order], np.arange(len(first) + 1))
    for number, at in enumerate(first):
        yield cells[at].tobytes().decode("utf-8", "replace"), order[borders[number] : borders[number + 1]]
