"""Feeds the training the same batch at every step.

If the batch comes from a loader, the loader delivers the first batch again, with its targets. If the batch is made
inside the loop, its inputs are replaced when they enter the model, and its targets when they enter a standard loss
function. The targets of a loss written by hand cannot be reached: such a batch cannot be pinned unless the loop repeats
it by itself.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ...observe.watchers.loss_inputs import given_pair
from .limits import Limited
from .roles import Roles


class Pinned(Limited):
    def __init__(self, steps: int, seconds: float) -> None:
        super().__init__(steps, seconds)
        self._roles = Roles()
        self._latest: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._batches: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._inputs: dict[tuple[int, int], Any] = {}
        self._targets: dict[int, Any] = {}
        self._forwards: dict[int, int] = {}  # by model: the number of the latest call since the last update
        self._losses = 0
        self._from_loader = False  # the loaders themselves may be gone at the end, with the function that made them
        self._own_differs = False  # the loop made another batch, which was replaced
        self._target_seen = False
        self._refused: str | None = None

    # ── batches from loaders ────────────────────────────────────────────────────────────────────

    def batch(self, loader: Any, batch: Any) -> Any:
        self.check_time()
        if loader is None:
            return batch
        self._roles.delivered(loader)
        if loader in self._batches:
            return copied(self._batches[loader])
        self._latest[loader] = copied(batch)
        return batch

    def at_end(self, loader: Any) -> Any:
        if loader in self._batches:
            self.check_time()
            return copied(self._batches[loader])  # an epoch of a pinned batch never ends
        raise StopIteration

    # ── batches made in the loop ────────────────────────────────────────────────────────────────

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._roles.forward(root)
        if self._from_loader or not torch.is_grad_enabled() or next(root.parameters(), None) is None:
            return args, kwargs
        number = self._forwards[id(root)] = self._forwards.get(id(root), -1) + 1
        key = (id(root), number)
        if key not in self._inputs:
            if self.updates == 0 and has_tensor((args, kwargs)):
                self._inputs[key] = copied((args, kwargs))
            return args, kwargs
        if _shapes(self._inputs[key]) == _shapes((args, kwargs)):
            self._own_differs = self._own_differs or not equal(self._inputs[key], (args, kwargs))
        pinned: tuple[Any, Any] = copied(self._inputs[key])
        return pinned

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        first, target = given_pair("", (args, kwargs))  # by position, because they are put back by position
        trains = isinstance(first, torch.Tensor) and first.requires_grad
        if self._from_loader or not trains or not isinstance(target, torch.Tensor) or target.requires_grad:
            return args, kwargs
        number, self._losses = self._losses, self._losses + 1
        self._target_seen = True
        if number not in self._targets:
            if self.updates == 0:
                self._targets[number] = target.detach().clone()
            return args, kwargs
        kept = self._targets[number]
        # The kept target fits neither the output nor the new target (a smaller last batch …): leave it alone.
        if kept.shape != first.shape[: kept.dim()] and kept.shape != target.shape:
            return args, kwargs
        if len(args) > 1:
            return (args[0], kept.clone(), *args[2:]), kwargs
        return args, {**kwargs, "target": kept.clone()}

    # ── counting ────────────────────────────────────────────────────────────────────────────────

    def before_backward(self, loss: Any) -> None:
        for loader in self._roles.backward():
            if loader not in self._batches and loader in self._latest:
                self._batches[loader] = self._latest[loader]
                self._from_loader = True
        super().before_backward(loss)

    def updated(self) -> None:
        self._forwards.clear()
        self._losses = 0
        super().updated()

    def findings(self) -> dict[str, Any]:
        by, why = self._verdict()
        return {**super().findings(), "pinned": by, "not_pinned": why}

    def _verdict(self) -> tuple[str | None, str | None]:
        if self._from_loader:
            return "loader", None
        if not self._inputs:
            return None, "the batch is made inside the loop and meets no module, so it could not be pinned"
        if not self._own_differs:
            return "loop", None  # the loop repeats its batch by itself
        # Models that compute their own loss get their targets too.
        if self._target_seen or any({"labels", "targets"} & {*kwargs} for _, kwargs in self._inputs.values()):
            return "inputs", None
        return (
            None,
            "the batch is made inside the loop and its targets meet no standard loss, so it could not be pinned",
        )


def _shapes(value: Any) -> list[Any]:
    return [tuple(leaf.shape) for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


# ── copies and comparisons of batches ─────────────────────────────────────────────────────────────


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
