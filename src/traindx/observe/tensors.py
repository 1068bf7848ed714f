"""Small measurements on tensors that never draw random numbers, never keep a graph, and have bounded cost."""

from __future__ import annotations

import dataclasses
import math
import random
import sys
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any

import torch

SKETCH = 1024  # elements of a parameter that stand for the whole of it
SAMPLE = 1 << 16  # elements of a batch that are looked at
FEW_PARTS = 16  # of a sequence of tensors that are looked at
ACTIVATIONS = 1 << 11  # of a module's output: there are many, and a standard deviation needs no more


_USUAL = (torch.Tensor, torch.nn.Parameter)
_NO_DISPATCH = torch.Tensor.__torch_dispatch__


def local(value: Any) -> bool:
    """Whether it is a tensor whose operations are torch's own and need nobody else.

    A class with operations of its own may do anything in them: a distributed tensor starts a collective, and waits
    for the other ranks. (What a class does in `__torch_function__` is switched off while observers look.)
    """
    kind = type(value)
    if kind in _USUAL:
        return True
    return (
        isinstance(value, torch.Tensor)
        and kind.__torch_dispatch__ is _NO_DISPATCH
        and not isinstance(value, torch.nn.parameter.UninitializedTensorMixin)
    )


def usual(value: Any) -> bool:
    """Whether it is a tensor of torch's own classes: reading an attribute calls nobody else's code."""
    return type(value) in _USUAL


def tensors_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """The local tensors in an argument or output: alone, in a sequence, a mapping or a dataclass."""
    if isinstance(value, torch.Tensor):
        if local(value):
            yield value
    elif depth > 3 or isinstance(value, (str, bytes, int, float)) or value is None:
        return
    elif isinstance(value, dict):
        for item in dict.values(value):  # a class of its own may do anything when it is asked for them
            yield from tensors_in(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        own: Any = tuple if isinstance(value, tuple) else list
        for item in islice(own.__iter__(value), FEW_PARTS):
            yield from tensors_in(item, depth + 1)
    elif (
        isinstance(value, Mapping)
        or dataclasses.is_dataclass(type(value))
        or hasattr(type(value), "to_dict")
        or type(value).__module__.startswith("torch_geometric")
    ):
        yield from tensors_in(getattr(value, "__dict__", None), depth + 1)


def first_tensor(*values: Any) -> Any | None:
    for value in values:
        for tensor in tensors_in(value):
            return tensor
    return None


def class_ids_in(batch: Any) -> weakref.ref[Any] | None:
    """A weak reference to what may be the labels of a batch: the last tensor of whole numbers with one axis."""
    last = batch[-1] if type(batch) in (list, tuple) and 0 < len(batch) <= FEW_PARTS else None
    if type(last) is not torch.Tensor or not _may_be_class_ids(last):  # it mostly is: asked at every batch
        last = None
        for tensor in tensors_in(batch):
            if usual(tensor) and _may_be_class_ids(tensor):
                last = tensor
    return None if last is None else weakref.ref(last)


def _may_be_class_ids(tensor: Any) -> bool:
    return tensor.dim() == 1 and not tensor.is_floating_point()


def plain(tensor: Any) -> bool:
    """Whether ordinary reductions work on it: strided, with data, and local."""
    return (
        local(tensor)
        and tensor.layout is torch.strided
        and not tensor.is_meta
        and tensor.numel() > 0
        and not tensor.is_quantized
        and not tensor.is_complex()
        and not transformed(tensor)
        and readable(tensor)
    )


def readable(tensor: Any) -> bool:
    """Whether its numbers are here: local, and its memory neither on the meta device nor given back, as that of weights
    that are sharded and gathered only for as long as they are used."""
    if not local(tensor) or tensor.is_meta:
        return False
    if tensor.layout is not torch.strided or transformed(tensor):
        return True
    return bool(tensor.numel() == 0 or tensor.untyped_storage().nbytes() > 0)


def transformed(tensor: Any) -> bool:
    """Whether it stands for others, within a transform of `torch.func`: it holds no numbers of its own."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def sketch(tensor: Any, size: int = SKETCH) -> Any:
    """Up to `size` scattered elements, always the same ones, as a flat copy in float32 (float64 stays).

    Evenly spaced elements would not do: where the spacing shares a factor with the length of a row they all lie in a
    few columns, which may be those of pixels that are always black.
    """
    flat = tensor.detach().reshape(-1)
    if flat.numel() > size:
        flat = flat[_scattered(flat.numel(), size, flat.device)]
    elif flat.dtype is torch.float64:
        return flat.clone()
    return flat if flat.dtype is torch.float64 else flat.to(torch.float32, copy=True)


@lru_cache(maxsize=256)
def _scattered(count: int, size: int, device: Any) -> Any:
    """`size` different places among `count`: one in each of as many equal stretches, at an offset that a fixed
    sequence gives. Nothing is drawn from torch's random numbers."""
    stretch = count // size
    offsets = random.Random(count)
    places = [i * count // size + offsets.randrange(stretch) for i in range(size)]
    return torch.tensor(places, dtype=torch.int64, device=device)


def sample_rows(tensor: Any, size: int = SAMPLE) -> Any:
    """Evenly spaced rows (first axis), about `size` elements in all. A view."""
    tensor = tensor.detach()
    if tensor.numel() <= size or tensor.dim() == 0:
        return tensor
    stride = -(-tensor.numel() // size)
    return tensor[::stride] if tensor.shape[0] >= stride else tensor.reshape(-1)[::stride]


def row_of(values: list[Any]) -> Any:
    """A 1-d tensor from 0-d ones, NaN where there is none. Stays on the device of the first one."""
    alike = all(type(v) is torch.Tensor and v.dtype is torch.float32 and v.dim() == 0 for v in values)
    if values and alike and len({v.device for v in values}) == 1:
        return torch.stack(values)
    device = next((v.device for v in values if isinstance(v, torch.Tensor)), torch.device("cpu"))
    nothing = torch.full((), math.nan, dtype=torch.float32, device=device)
    return torch.stack([nothing if v is None else v.to(device, torch.float32).reshape(()) for v in values])


@contextmanager
def streams_unchanged() -> Iterator[None]:
    """Restore the state of all random generators after the block."""
    numpy = sys.modules.get("numpy")
    states = torch.get_rng_state(), random.getstate(), numpy.random.get_state() if numpy is not None else None
    devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() and torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        random.setstate(states[1])
        if numpy is not None and states[2] is not None:
            numpy.random.set_state(states[2])
        if devices is not None:
            torch.cuda.set_rng_state_all(devices)
