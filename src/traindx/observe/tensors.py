"""Small looks at tensors that never draw random numbers, never keep a graph, and bound their own cost."""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import torch

SKETCH = 1024  # elements of a parameter that stand for the whole of it
SAMPLE = 1 << 16  # elements of a batch that are looked at
FEW_PARTS = 16  # of a sequence of tensors that are looked at
ACTIVATIONS = 1 << 11  # of a module's output: there are many, and a standard deviation needs no more


def tensors_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """The tensors in an argument or output: alone, in a sequence, a mapping or a dataclass."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > 3 or isinstance(value, (str, bytes, int, float)) or value is None:
        return
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value[:FEW_PARTS]:
            yield from tensors_in(item, depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_in(getattr(value, field.name, None), depth + 1)
    elif hasattr(value, "to_dict") or type(value).__module__.startswith("torch_geometric"):
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
            if _may_be_class_ids(tensor):
                last = tensor
    return None if last is None else weakref.ref(last)


def _may_be_class_ids(tensor: Any) -> bool:
    return tensor.dim() == 1 and not tensor.is_floating_point()


def plain(tensor: Any) -> bool:
    """Whether ordinary reductions work on it: strided, with data, not a subclass with a mind of its own."""
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.layout is torch.strided
        and not tensor.is_meta
        and tensor.numel() > 0
        and not tensor.is_quantized
        and not tensor.is_complex()
        and not transformed(tensor)
    )


def transformed(tensor: Any) -> bool:
    """Whether it stands for others, within a transform of `torch.func`: it holds no numbers of its own."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def sketch(tensor: Any, size: int = SKETCH) -> Any:
    """Up to `size` evenly spaced elements, as a flat copy in float32 (float64 stays)."""
    flat = tensor.detach().reshape(-1)
    if flat.numel() > size:
        flat = flat[:: -(-flat.numel() // size)]
    if flat.dtype is torch.float64:
        return flat.clone()
    return flat.to(torch.float32, copy=True)


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
