"""Numbers on their way from tensors to the record.

A value on the CPU is read at once, straight from memory. A value on an accelerator stays there, as a detached copy,
until the writer's flush brings many over in one transfer: no hidden synchronisation in the training loop.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..record.writer import RecordWriter
from .tensors import local, transformed

# Reads numbers straight from memory, by their address: no operator is called, nothing is allocated but the number. One
# element of a gradient is read at every step. Through an operator (`gradient[0, 0].item()`) that takes about six times
# as long as from here (12 against 2 microseconds, `python -m benchmarks.overhead.reading`): 2 % of a step of a tiny
# model more. A ctypes object made for each reading is slow too; this window is made once. It is all memory that an
# index can reach. Making the window reads nothing: what lies at an address is read as it is asked
# for, and only addresses of living tensors are.
_BYTES = memoryview((ctypes.c_ubyte * (sys.maxsize // 8 * 8)).from_address(0)).cast("B")
# The same as 32-bit floats, by their number: address >> 2, where that is a multiple of four. For whoever reads at every
# step; a call more is what this saves.
FLOATS = _BYTES.cast("f")
_STRUCTS = {kind: struct.Struct(kind) for kind in ("f", "d", "q", "?", "e")}


def number_at(address: int, kind: str) -> float:
    """The number at this address; `kind` is a letter of `struct`."""
    return float(_STRUCTS[kind].unpack_from(_BYTES, address)[0])


def bfloat16_at(address: int) -> float:
    """The bfloat16 at this address: it is the upper half of a 32-bit float."""
    return float(struct.unpack("<f", b"\0\0" + bytes(_BYTES[address : address + 2]))[0])


_FLOAT32 = torch.float32
_KINDS: dict[Any, str] = {
    torch.float32: "f",  # not aligned, as in a view into a packed buffer
    torch.float64: "d",
    torch.float16: "e",
    torch.int64: "q",
    torch.bool: "?",
}

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def cpu_value(tensor: Any) -> float | None:
    """The first element of a plain CPU tensor, without calling an operator; None where that is not possible."""
    # Every question put to a tensor costs half a microsecond where the caches are full of other things.
    if type(tensor) not in _PLAIN or not tensor.is_cpu:
        return None
    try:
        address = tensor.data_ptr()
    except RuntimeError:  # sparse, or one that only stands for others
        return None
    if not address:  # no elements
        return None
    dtype = tensor.dtype
    if dtype is _FLOAT32 and not address & 3:  # mostly so: nothing else is asked
        value: float = FLOATS[address >> 2]
        return value
    if dtype is torch.bfloat16:
        return bfloat16_at(address)
    kind = _KINDS.get(dtype)
    return None if kind is None else number_at(address, kind)


class MetricQueue:
    """Where watchers put what they measured. Appending is safe beside a flush on another thread."""

    def __init__(self, writer: RecordWriter) -> None:
        self._writer = writer
        self.on_device = False  # some values were on an accelerator: reading such values waits for it
        self._scalars: deque[tuple[str, Sequence[int], Sequence[Any]]] = deque()
        self._rows: deque[tuple[str, int, tuple[str, ...], Any]] = deque()
        self._calls: deque[tuple[Any, Any]] = deque()
        self._listeners: dict[str, Callable[[list[int], list[float]], None]] = {}

    def scalar(self, series: str, step: int, value: Any) -> None:
        """A float, or a 0-d tensor that nobody else will change."""
        if not _stands_for_others(value):
            self._scalars.append((series, (step,), (value,)))

    def scalars(self, series: str, steps: Sequence[int], values: Sequence[Any]) -> None:
        """The same for several steps."""
        self._scalars.append((series, steps, values))

    def row(self, quantity: str, step: int, names: Sequence[str], values: Any) -> None:
        """One value for each name: a list of floats or a 1-d tensor."""
        if not _stands_for_others(values):
            self._rows.append((quantity, step, tuple(names), values))

    def later(self, tensor: Any, use: Any) -> None:
        """Call `use(list of floats)` at the next flush, with what `tensor` holds."""
        if not _stands_for_others(tensor):
            self._calls.append((tensor, use))

    def listen(self, series: str, use: Callable[[list[int], list[float]], None]) -> None:
        """Call `use(steps, values)` at every flush that brings new points of `series`."""
        self._listeners[series] = use

    def drain(self) -> None:
        """Hand everything to the writer."""
        with torch.no_grad(), torch._C.DisableTorchFunction():
            self._drain_calls()
            self._drain_scalars()
            self._drain_rows()

    def _drain_scalars(self) -> None:
        taken = [self._scalars.popleft() for _ in range(len(self._scalars))]
        tensors = [
            value
            for _, _, values in taken
            if not _floats_alone(values)
            for value in values
            if isinstance(value, torch.Tensor)
        ]
        numbers = iter(self._bring_over(tensors))
        by_name: dict[str, tuple[list[int], list[float]]] = {}
        for name, new_steps, new_values in taken:
            steps, values = by_name.setdefault(name, ([], []))
            steps.extend(new_steps)
            if _floats_alone(new_values):  # the losses of many steps
                values.extend(new_values)
            else:
                values.extend(next(numbers) if isinstance(v, torch.Tensor) else float(v) for v in new_values)
        for name, (steps, values) in by_name.items():
            self._writer.points(name, steps, values)
            if name in self._listeners:
                self._listeners[name](steps, values)

    def _drain_rows(self) -> None:
        while self._rows:
            quantity, step, names, values = self._rows.popleft()
            numbers = self._list(values.float()) if isinstance(values, torch.Tensor) else values
            self._writer.layers(quantity, step, names, [_storable(number) for number in numbers])

    def _drain_calls(self) -> None:
        while self._calls:
            tensor, use = self._calls.popleft()
            use(self._list(tensor) if isinstance(tensor, torch.Tensor) else tensor)

    def _list(self, tensor: Any) -> Any:
        self.on_device = self.on_device or not tensor.is_cpu
        return tensor.tolist()

    def _bring_over(self, tensors: list[Any]) -> list[float]:
        """The values of 0-d tensors, one transfer a device."""
        if not tensors:
            return []
        values = [math.nan] * len(tensors)
        by_device: dict[Any, list[int]] = {}
        for i, tensor in enumerate(tensors):
            by_device.setdefault(tensor.device, []).append(i)
        for device, places in by_device.items():
            if device.type == "meta":
                continue  # nothing is there
            stacked = torch.stack([tensors[i].detach().float().reshape(()) for i in places])
            for i, value in zip(places, self._list(stacked), strict=True):
                values[i] = value
        return values


def _stands_for_others(value: Any) -> bool:
    """Within a transform of `torch.func` what was measured is no number, and never will be; what is distributed over
    several processes cannot be read by one of them."""
    return isinstance(value, torch.Tensor) and (not local(value) or transformed(value))


def _floats_alone(values: Sequence[Any]) -> bool:
    return set(map(type, values)) == {float}


def _storable(number: float) -> float:
    # float32 in the file: what does not fit is infinite there anyway
    return number if abs(number) < 3.4e38 or number != number else math.copysign(math.inf, number)
