"""TensorBoard event files, written byte by byte (records of scalar summaries), without TensorBoard itself."""

from __future__ import annotations

import struct

from ..model import Run
from ..names import Dialect, name, value
from .base import Rng, Written


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def _masked_crc(data: bytes) -> int:
    """The masked CRC-32C of a TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _record(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", _masked_crc(head)) + data + struct.pack("<I", _masked_crc(data))


def _varint(number: int) -> bytes:
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def _bytes_field(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(data)) + data


def _event(wall: float, step: int, body: bytes) -> bytes:
    return b"\x09" + struct.pack("<d", wall) + b"\x10" + _varint(step) + body


def write_events(run: Run, rng: Rng) -> Written:
    """One scalar summary per value, tags such as `Loss/train` or `train/loss`."""
    dialect = (
        Dialect("{}/train", "{}/val", loss="Loss", acc="Accuracy")
        if rng.random() < 0.5
        else Dialect("train/{}", "val/{}")
    )
    wall = 1_700_000_000.0
    out = _record(_event(wall, 0, _bytes_field(3, b"brain.Event:2")))
    for row, train, evals in run.at_rows():
        wall += 1.5
        for column, item in (train | evals).items():
            tag = _bytes_field(1, name(dialect, column).encode())
            scalar = tag + b"\x15" + struct.pack("<f", value(dialect, column, item))
            out += _record(_event(wall, int(run.plan.at[row]), _bytes_field(5, _bytes_field(1, scalar))))
    return Written(out, run.plan.unit)
