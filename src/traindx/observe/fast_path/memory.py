"""Reads a number straight from memory, by its address: no operator is called, nothing is allocated but the number.

One element of a gradient is read at every step. Through an operator (`gradient[0, 0].item()`) that takes about six
times as long as from here (12 against 2 microseconds, `python -m benchmarks.overhead.reading`): 2 % of a step of a tiny
model more. A ctypes object made for each reading is slow too; this window is made once.
"""

from __future__ import annotations

import ctypes
import struct
import sys

# All memory that an index can reach. Making the window reads nothing: what lies at an address is read as it is asked
# for, and only addresses of living tensors are.
_BYTES = memoryview((ctypes.c_ubyte * (sys.maxsize // 8 * 8)).from_address(0)).cast("B")
# The same as 32-bit floats, by their number: address >> 2, where that is a multiple of four. For whoever reads at every
# step; a call more is what this saves.
FLOATS = _BYTES.cast("f")
_KINDS = {kind: struct.Struct(kind) for kind in ("f", "d", "q", "?", "e")}


def number_at(address: int, kind: str) -> float:
    """The number at this address; `kind` is a letter of `struct`."""
    return float(_KINDS[kind].unpack_from(_BYTES, address)[0])


def bfloat16_at(address: int) -> float:
    """The bfloat16 at this address: it is the upper half of a 32-bit float."""
    return float(struct.unpack("<f", b"\0\0" + bytes(_BYTES[address : address + 2]))[0])
