"""Methods of tensors, while somebody needs them: views and reshapes in the first steps, sums of losses at looks."""

from __future__ import annotations

import sys
from typing import Any

import torch
import torch.nn.functional as F

from .. import sites
from ..graph_reading.digest import permuted
from .hooks import SHAPES, TERMS, HookPoints

# ── views that reorder sizes, and dropout written as a function ───────────────────────────────────
#
# Tensors that need no gradient leave no trace in the graph, and data are often reshaped before the model sees them.
# Only views that put the old sizes in another order are announced: almost always a transpose was meant.

_PLAIN = (torch.Tensor, torch.nn.Parameter)
SMALLEST = 64  # elements: smaller tensors are settings, not data


def install(hooks: HookPoints) -> None:
    def make_view(original: Any) -> Any:
        def view(self: Any, *args: Any, **kwargs: Any) -> Any:
            if type(self) not in _PLAIN:
                # Classes of their own compare the function that they are handed with torch's: it has to be that one.
                hooks.withdraw(SHAPES, for_good=True)
                return original(self, *args, **kwargs)
            result = original(self, *args, **kwargs)
            if not hooks.busy:
                with hooks.no_functions():
                    found = _reordered(self, result)
                # Libraries know what they do: sizes may agree by chance where attention splits its heads.
                if found is not None and sites.is_users(sys._getframe(1)):
                    before, after, moved = found
                    hooks.announce("reshaped", before, after, sites.here(2), moved)
            return result

        return view

    def make_dropout(original: Any) -> Any:
        def dropout(input: Any, p: float = 0.5, training: bool = True, *args: Any, **kwargs: Any) -> Any:
            if training and p > 0 and not hooks.busy:
                hooks.dropped = True
                if hooks.inner:
                    hooks.announce("dropout_applied", p, training)
                if hooks.dropping_site is None and not torch.is_grad_enabled():
                    hooks.dropping_site = sites.here(2)
            return original(input, p, training, *args, **kwargs)

        return dropout

    hooks.override(torch.Tensor, "view", make_view, needed_for=SHAPES)
    hooks.override(torch.Tensor, "reshape", make_view, needed_for=SHAPES)
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
        hooks.patch(F, name, make_dropout)
    install_sums(hooks)


def _reordered(tensor: Any, result: Any) -> tuple[tuple[int, ...], tuple[int, ...], int | None] | None:
    """The sizes before and after, if they put the data in another order, and which axis was the first."""
    if tensor.numel() < SMALLEST:
        return None
    before, after = tuple(tensor.shape), tuple(result.shape)
    moved = None if permuted(before, after) else _batch_lost(tensor, after)
    return (before, after, moved) if moved is not None or permuted(before, after) else None


def _batch_lost(tensor: Any, after: tuple[int, ...]) -> int | None:
    """The position of the axis that was first before a transpose, if the new shape treats another axis as the first.

    A transpose leaves the strides as they were: the longest belongs to what used to be the first axis.
    """
    if tensor.dim() < 2 or not after or tensor.is_contiguous():
        return None
    strides, sizes = tensor.stride(), tensor.shape
    outer = max(range(len(sizes)), key=lambda axis: strides[axis] if sizes[axis] > 1 else 0)
    lost = outer > 0 and after[0] == sizes[outer] > 1 and sizes[0] not in (1, sizes[outer])
    return outer if lost and len(after) > 1 else None


# ── sums and differences of losses ────────────────────────────────────────────────────────────────
#
# The graph behind a total shows which terms it adds, and has not kept what they were worth.

METHODS = ("__add__", "__radd__", "__iadd__", "__sub__", "__isub__")


def install_sums(hooks: HookPoints) -> None:
    def make_sum(original: Any) -> Any:
        def joined(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
            if type(self) not in _PLAIN:
                # Classes of their own compare the function that they are handed with torch's: it has to be that one.
                hooks.withdraw(TERMS, for_good=True)
            elif not hooks.busy:
                with hooks.no_functions():
                    may_be = _may_be_term(self) or _may_be_term(other)
                if may_be:
                    hooks.announce("terms_joined", self, other, sys._getframe(1))
            return original(self, other, *args, **kwargs)

        return joined

    for name in METHODS:
        hooks.override(torch.Tensor, name, make_sum, needed_for=TERMS)


def _may_be_term(value: Any) -> bool:
    """Whether it is a loss, or one for each sample."""
    return type(value) is torch.Tensor and value.dim() < 2 and value.requires_grad
