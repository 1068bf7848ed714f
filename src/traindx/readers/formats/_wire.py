"""The part of the protocol-buffer wire format that logs need."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are not a valid message."""


def varint(buffer: bytes | memoryview, at: int) -> tuple[int, int]:
    """Return the number at `at`, and the offset of its end."""
    result = shift = 0
    while True:
        if at >= len(buffer) or shift > 63:
            raise WireError("a number exceeds the end")
        byte = buffer[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def fields(buffer: bytes | memoryview, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield each field of a message: number, wire type, and the start and end of its content."""
    at = start
    while at < end:
        key = buffer[at]
        at += 1
        if key >= 0x80:
            key, at = varint(buffer, at - 1)
        kind = key & 7
        if kind == BYTES:
            length = buffer[at] if at < end else 0x80
            at += 1
            if length >= 0x80:
                length, at = varint(buffer, at - 1)
            stop = at + length
        elif kind == VARINT:
            _, stop = varint(buffer, at)
        elif kind == FIXED64:
            stop = at + 8
        elif kind == FIXED32:
            stop = at + 4
        else:
            raise WireError(f"unknown wire type {kind}")
        if stop > end:
            raise WireError("a field exceeds the end")
        yield key >> 3, kind, at, stop
        at = stop
