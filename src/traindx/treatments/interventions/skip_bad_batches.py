"""Replaces a batch that is non-finite or far outside the ordinary range by the last ordinary batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from statistics import median
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._arguments import floating, loss_pair, trains, with_pair

ID = "skip-bad-batches"
TITLE = "Skip batches that are not finite or out of range"
TESTS = ("nonfinite-data", "bad-batch")
SAFETY = "changes-result"
JUDGED_BY = "loss"

BEYOND = 3.0  # times the ordinary maximum, as in the fix


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if cause == "nonfinite-data":
        return [
            Dose({}, "batches with NaN or Inf replaced by the last finite one"),
            Dose({"fill": True}, "NaN and Inf in the data replaced by zero"),  # in case no batch is finite
        ]
    limits = {}
    for name in ("input_max", "target_max"):
        seen = run.series(name).finite.values
        ordinary = abs(float(median(seen))) if len(seen) else 0.0
        if ordinary > 0:
            limits[name] = BEYOND * ordinary
    if not limits:
        return Refusal("the range of ordinary batches was not measured")
    text = " or ".join(f"{name.removesuffix('_max')}s beyond {num(limit)}" for name, limit in limits.items())
    return [Dose(limits, f"batches with {text} replaced by the last ordinary one")]


class _Skipped(Intervening):
    """Replaces a loader's batch when it is delivered, and a batch made in the loop when it enters the model and the
    loss."""

    def __init__(self, limits: Mapping[str, Any]) -> None:
        super().__init__()
        self._input, self._target = (float(limits.get(name, inf)) for name in ("input_max", "target_max"))
        self._good: dict[Any, Any] = {}
        self._exchanged = False  # whether the inputs of this forward were replaced: their targets must follow

    def batch(self, loader: Any, batch: Any) -> Any:
        return self._ordinary((id(loader), _shapes(batch)), batch, self._limits_of(batch))

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
            return with_pair(args, kwargs, given, _copied(self._good[key]))
        found = self._ordinary(key, target, [self._target])
        if found is not target and floating(given) and floating(target) and given.shape == target.shape:
            # Targets of another batch do not fit these inputs. With the prediction as target, the loss is zero.
            found = given.detach()
        return with_pair(args, kwargs, given, found)

    def _limits_of(self, batch: Any) -> list[float]:
        return [self._input, *[self._target] * len(_leaves(batch))]

    def _ordinary(self, key: Any, value: Any, limits: Sequence[float]) -> Any:
        leaves = _leaves(value)
        if all(_fits(leaf, limit) for leaf, limit in zip(leaves, limits, strict=False)):
            self._good[key] = _copied(value)
            return value
        if key not in self._good:
            return value  # there is no ordinary batch yet
        self.acted += 1
        return _copied(self._good[key])


def _copied(value: Any) -> Any:
    from ...probes.acting.copies import copied

    return copied(value)


def _leaves(value: Any) -> list[Any]:
    from torch.utils import _pytree as pytree

    return [leaf for leaf in pytree.tree_leaves(value) if hasattr(leaf, "shape")]


def _shapes(value: Any) -> tuple[Any, ...]:
    return tuple(tuple(leaf.shape) for leaf in _leaves(value))


def _fits(leaf: Any, limit: float) -> bool:
    if not floating(leaf) or not leaf.numel():
        return True
    largest = float(leaf.detach().abs().max())
    return isfinite(largest) and largest <= limit


class _Filled(Intervening):
    """Replaces NaN and Inf by zero when data enter the model and the loss."""

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return self._filled((args, kwargs)) if trains(root) else (args, kwargs)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        return with_pair(args, kwargs, given, self._filled(target))

    def _filled(self, value: Any) -> Any:
        import torch
        from torch.utils import _pytree as pytree

        def filled(leaf: Any) -> Any:
            if not isinstance(leaf, torch.Tensor) or _fits(leaf, inf):
                return leaf
            self.acted += 1
            return torch.nan_to_num(leaf, nan=0.0, posinf=0.0, neginf=0.0)

        return pytree.tree_map(filled, value)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Filled() if options.get("fill") else _Skipped(options)
