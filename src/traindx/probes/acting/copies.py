"""Copies and comparisons of batches."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree


def copied(value: Any) -> Any:
    """The same structure with its tensors cloned, so that later in-place changes do not reach the copy."""
    return pytree.tree_map(lambda leaf: leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf, value)


def equal(one: Any, other: Any) -> bool:
    """Whether two batches hold equal tensors (NaN equals NaN)."""
    first, second = pytree.tree_leaves(one), pytree.tree_leaves(other)
    if len(first) != len(second):
        return False
    return all(_same(a, b) for a, b in zip(first, second, strict=True))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return bool(torch.equal(a, b) or (a.is_floating_point() and torch.equal(a.nan_to_num(), b.nan_to_num())))
    return type(a) is type(b)


def has_tensor(value: Any) -> bool:
    return any(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(value))
