"""Writes the binary formats that the tests read, byte by byte: no other library decides what they look like."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def tf_record(event: bytes) -> bytes:
    return struct.pack("<QI", len(event), 0) + event + struct.pack("<I", 0)


def scalar_event(step: int, wall: float, **values: float) -> bytes:
    summary = b"".join(
        field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)) for tag, value in values.items()
    )
    return b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary)


def tensor_event(step: int, wall: float, tag: str, value: float) -> bytes:
    """A scalar as TensorFlow 2 writes it: a tensor with the scalar plugin's metadata."""
    tensor = b"\x08\x01" + field(2, b"") + field(4, struct.pack("<f", value))
    metadata = field(9, field(1, field(1, b"scalars")))
    summary = field(1, field(1, tag.encode()) + field(8, tensor) + metadata)
    return b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary)


def histogram_event(step: int, wall: float, tag: str, buckets: int = 20) -> bytes:
    histogram = b"\x09" + struct.pack("<d", -1.0) + field(6, struct.pack(f"<{buckets}d", *range(buckets)))
    summary = field(1, field(1, tag.encode()) + field(5, histogram))
    return b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary)


def event_file(path: Path, events: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    version = b"\x09" + struct.pack("<d", 0.0) + field(3, b"brain.Event:2")
    path.write_bytes(b"".join(map(tf_record, [version, *events])))
    return path


def wandb_file(path: Path, rows: list[dict[str, Any]], config: dict[str, Any] | None = None) -> Path:
    """Records split over blocks of 32 KiB as the log format wants it."""

    def items(values: dict[str, Any]) -> bytes:
        return b"".join(
            field(1, field(1, key.encode()) + field(16, json.dumps(value).encode())) for key, value in values.items()
        )

    records = [field(17, field(4, items(config)))] if config else []
    records += [b"\x08" + varint(i) + field(2, items(row)) for i, row in enumerate(rows)]
    out = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for record in records:
        first = True
        while True:
            room = 32768 - len(out) % 32768
            if room < 7:
                out += bytes(room)
                continue
            piece, record = record[: room - 7], record[room - 7 :]
            kind = (1 if first else 4) if not record else (2 if first else 3)
            out += struct.pack("<IHB", 0, len(piece), kind) + piece
            first = False
            if not record:
                break
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(out))
    return path
