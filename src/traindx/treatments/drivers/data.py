"""Batches: how loaders make them, and what the model and the loss get of them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils.data import IterableDataset, SequentialSampler

from ...probes.acting.pinning import Pinned, copied
from ...probes.acting.roles import Roles
from .acting import Intervening, floating, loss_pair, on_tensors, trains, with_pair
from .losses import OutputScaled

SMALLEST_STD = 1e-6  # a feature with a smaller std counts as constant and is not scaled
MOST_ROWS = 20_000  # of samples kept for mixing; the oldest are dropped
KEPT = 16  # training batches that replace evaluation batches in turn


class LoadersSet(Intervening):
    """Changes settings of these loaders (their numbers, as in the fact `loaders`)."""

    def __init__(self, loaders: Sequence[int], **settings: Any) -> None:
        super().__init__()
        self._loaders, self._new = frozenset(loaders), settings

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        if number not in self._loaders or not self._fits(settings):
            return settings
        self.acted += 1
        kept = settings if "shuffle" not in self._new else {k: v for k, v in settings.items() if k != "sampler"}
        return {**kept, **self._new}

    def _fits(self, own: dict[str, Any]) -> bool:
        whole = isinstance(own.get("dataset"), IterableDataset)
        if "num_workers" in self._new and whole:
            self.note = "every worker would deliver the whole iterable data set"
            return False
        if "batch_size" in self._new and own.get("batch_size", 1) is None:
            self.note = "the data set makes its batches itself"
            return False
        if "shuffle" in self._new:
            sampler = own.get("sampler")
            if whole or not (sampler is None or type(sampler) is SequentialSampler):
                self.note = "the loader's own sampler or iterable data set decides the order"
                return False
            if own.get("shuffle"):
                return False
        return "num_workers" in self._new or own.get("batch_sampler") is None


class InputsScaled(Intervening):
    """Standardises the first floating-point input of a model, in training and evaluation."""

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self._mean, self._std = list(mean), [value if value > SMALLEST_STD else 1.0 for value in std]

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if not trains(root):
            return args, kwargs
        for i, value in enumerate(args):
            if floating(value):
                return (*args[:i], self._scaled(value), *args[i + 1 :]), kwargs
        for name, value in kwargs.items():
            if floating(value):
                return args, {**kwargs, name: self._scaled(value)}
        return args, kwargs

    def _scaled(self, given: Any) -> Any:
        if len(self._mean) > 1 and (given.dim() < 2 or given.shape[-1] != len(self._mean)):
            return given
        self.acted += 1
        return (given - given.new_tensor(self._mean)) / given.new_tensor(self._std)


class BothScaled(InputsScaled):
    """Standardises the inputs, and scales the output to the targets' range (the options of `OutputScaled`)."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], targets: Mapping[str, Any]) -> None:
        super().__init__(mean, std)
        self._output = OutputScaled(**targets)

    def forward_output(self, root: Any, output: Any) -> Any:
        return self._output.forward_output(root, output)

    def differentiated(self, loss: Any) -> Any:
        return self._output.differentiated(loss)


@dataclass(eq=False)
class ColumnHidden(Intervening):
    """Sets one column of the flattened input to zero."""

    column: int

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given: Any = args[0] if args else None
        plain = trains(root) and floating(given) and given.dim() >= 2
        if not plain or given.flatten(1).shape[1] <= self.column:
            return args, kwargs
        hidden = given.clone()
        hidden.flatten(1)[:, self.column] = 0.0
        self.acted += 1
        return (hidden, *args[1:]), kwargs


class BatchesMixed(Intervening):
    """Draws each training batch at random from the samples seen so far, for scripts without a loader.

    Samples are kept when they enter the model, and their targets when they enter the loss.
    """

    samples = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._stream = torch.Generator().manual_seed(seed)
        self._inputs: list[Any] = []
        self._targets: list[Any] = []
        self._place = 0
        self._coming: Any = None  # the script's inputs of this step, until their targets arrive
        self._drawn: list[int] | None = None

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        tensors = [i for i, value in enumerate(args) if isinstance(value, torch.Tensor)]
        self._coming = self._drawn = None
        if not (trains(root) and root.training and torch.is_grad_enabled()) or tensors != [0] or args[0].dim() < 2:
            return args, kwargs
        self._coming = args[0].detach()
        if len(self._inputs) < len(args[0]):
            return args, kwargs
        self._drawn = torch.randint(len(self._inputs), (len(args[0]),), generator=self._stream).tolist()
        return (torch.stack([self._inputs[i] for i in self._drawn]), *args[1:]), kwargs

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        coming, drawn = self._coming, self._drawn
        self._coming = self._drawn = None
        rows = isinstance(target, torch.Tensor) and target.dim() > 0 and coming is not None
        if not rows or len(target) != len(coming):
            if drawn is not None:
                raise RuntimeError("the batch does not have one target per sample")
            return args, kwargs
        mixed = torch.stack([self._targets[i] for i in drawn]) if drawn is not None else target
        for row, answer in zip(coming, target.detach(), strict=True):
            self._keep(row.clone(), answer.clone())
        self.acted += drawn is not None
        return with_pair(args, kwargs, given, mixed)

    def _keep(self, row: Any, answer: Any) -> None:
        if len(self._inputs) < MOST_ROWS:
            self._inputs.append(row)
            self._targets.append(answer)
            return
        self._inputs[self._place], self._targets[self._place] = row, answer
        self._place = (self._place + 1) % MOST_ROWS


class BadBatchesReplaced(Intervening):
    """Replaces a batch that is non-finite or out of range by the last ordinary one: a loader's batch when it is
    delivered, a batch made in the loop when it enters the model and the loss."""

    def __init__(self, input_max: float = inf, target_max: float = inf) -> None:
        super().__init__()
        self._input, self._target = input_max, target_max
        self._good: dict[Any, Any] = {}
        self._exchanged = False  # whether the inputs of this forward were replaced: their targets must follow

    def batch(self, loader: Any, batch: Any) -> Any:
        limits = [self._input, *[self._target] * len(_leaves(batch))]
        return self._ordinary((id(loader), _shapes(batch)), batch, limits)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if not trains(root):
            return args, kwargs
        before = self.acted
        limits = [self._input] * len(_leaves((args, kwargs)))
        found = self._ordinary(("inputs", id(root), _shapes((args, kwargs))), (args, kwargs), limits)
        self._exchanged = self.acted > before
        return found[0], found[1]

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        key = ("targets", name, _shapes(target))
        if self._exchanged and key in self._good:
            return with_pair(args, kwargs, given, copied(self._good[key]))
        found = self._ordinary(key, target, [self._target])
        if found is not target and floating(given) and floating(target) and given.shape == target.shape:
            # Targets of another batch do not fit these inputs. With the prediction as target, the loss is zero.
            found = given.detach()
        return with_pair(args, kwargs, given, found)

    def _ordinary(self, key: Any, value: Any, limits: Sequence[float]) -> Any:
        if all(_fits(leaf, limit) for leaf, limit in zip(_leaves(value), limits, strict=False)):
            self._good[key] = copied(value)
            return value
        if key not in self._good:
            return value  # there is no ordinary batch yet
        self.acted += 1
        return copied(self._good[key])


def _leaves(value: Any) -> list[Any]:
    return [leaf for leaf in pytree.tree_leaves(value) if hasattr(leaf, "shape")]


def _shapes(value: Any) -> tuple[Any, ...]:
    return tuple(tuple(leaf.shape) for leaf in _leaves(value))


def _fits(leaf: Any, limit: float) -> bool:
    if not floating(leaf) or not leaf.numel():
        return True
    largest = float(leaf.detach().abs().max())
    return isfinite(largest) and largest <= limit


class NonfiniteFilled(Intervening):
    """Replaces NaN and Inf by zero when data enter the model and the loss."""

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return on_tensors(self._filled, (args, kwargs)) if trains(root) else (args, kwargs)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        return with_pair(args, kwargs, given, on_tensors(self._filled, target))

    def _filled(self, tensor: Any) -> Any:
        if _fits(tensor, inf):
            return tensor
        self.acted += 1
        return torch.nan_to_num(tensor, nan=0.0, posinf=0.0, neginf=0.0)


class EvaluatedOnTraining(Intervening):
    """Replaces the batches of an evaluation by training batches."""

    def __init__(self) -> None:
        super().__init__()
        self._roles = Roles()
        self._batches: list[Any] = []
        self._last: tuple[weakref.ref[Any], Any] | None = None
        self._turn = 0

    def batch(self, loader: Any, batch: Any) -> Any:
        if loader is None:
            return batch
        if loader in self._roles.training or not self._batches:
            self._roles.delivered(loader)
            self._last = (weakref.ref(loader), copied(batch) if len(self._batches) < KEPT else None)
            return batch
        self._turn += 1
        self.acted += 1
        return copied(self._batches[self._turn % len(self._batches)])

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._roles.forward(root)
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        self._roles.backward()
        if self._last is not None and self._last[0]() in self._roles.training and self._last[1] is not None:
            self._batches.append(self._last[1])
        self._last = None


class OneBatch(Pinned):
    """Trains on the same batch at every step."""

    def __init__(self) -> None:
        super().__init__(10**9, 1e9)  # no limits here: the arm's own length ends the run

    def findings(self) -> dict[str, Any]:
        found = super().findings()
        by = found["pinned"]
        return {"acted": int(by is not None), "pinned": by, "note": found["not_pinned"] or ""}
