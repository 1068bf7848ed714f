"""Keeps what is needed to recompute the loss of a training step on a copy of the model.

A loss can be replayed if the model itself returns it, or if a standard loss function gets the model's output (perhaps
reshaped). If the script computes anything else between the model and the loss, the loss cannot be replayed.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

from ...observe.model_walk import twin_of as copy_without_hooks
from ...observe.tensors import plain, streams_unchanged, tensors_in
from ...observe.watchers.loss_inputs import given_pair
from ..acting.pinning import copied

SEVERAL = "the model runs several times for one loss"
MORE = "the loss has more terms than a standard loss function's value"
BY_HAND = "the loss is computed by the script's own code, which cannot be run on a copy of the model"


@dataclass
class Call:
    """A training forward: the model, its inputs, and the random state and precision at its start."""

    root: weakref.ref[Any]
    args: Any
    kwargs: Any
    stream: Any
    autocast: tuple[str, Any] | None
    modes: list[bool]  # of all modules
    outputs: list[Any] = field(default_factory=list)  # detached


@dataclass
class Replayable:
    """The loss of one backward, ready to be recomputed."""

    call: Call
    value: float  # the loss that backward was called on, without loss scaling
    output: int  # index of the tensor in the model's output
    function: str | None  # name of the standard loss; None if the output is the loss itself
    shape: Any = None  # of the function's first argument
    rest: tuple[Any, Any] = ((), {})  # the function's other arguments
    factor: float = 1.0  # the backpropagated loss / the function's value (division by accumulation steps, for example)

    @property
    def samples(self) -> int:
        tensors = [t for t in tensors_in((self.call.args, self.call.kwargs)) if t.dim()]
        return int(tensors[0].shape[0]) if tensors else 0

    def loss(self, twin: Any, rows: slice | None = None, own_stream: bool = True) -> Any:
        """The loss on a copy of the model. With `own_stream`, it draws the same random numbers as the step did."""
        args, kwargs, more, named = copied((self.call.args, self.call.kwargs, *self.rest))
        if rows is not None:
            args, kwargs, more, named = _rows((args, kwargs, more, named), rows, self.samples)
        with ExitStack() as stack:
            if own_stream:
                stack.enter_context(streams_unchanged())
                torch.set_rng_state(self.call.stream)
            if self.call.autocast is not None:
                device, dtype = self.call.autocast
                stack.enter_context(torch.autocast(device, dtype))
            found = list(tensors_in(twin(*args, **kwargs)))[self.output]
            if self.function is None:
                return self.factor * found
            shape = self.shape if rows is None else (-1, *self.shape[1:])
            return self.factor * getattr(F, self.function)(found.reshape(shape), *more, **named)


def _rows(value: Any, rows: slice, samples: int) -> Any:
    """The same structure with only some samples; tensors without a sample axis stay whole."""
    from torch.utils import _pytree as pytree

    def cut(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor) or not leaf.dim() or leaf.shape[0] % samples or not leaf.shape[0]:
            return leaf
        per_sample = leaf.shape[0] // samples  # targets of a sequence model may be flattened
        return leaf[rows.start * per_sample : rows.stop * per_sample]

    return pytree.tree_map(cut, value)


class Capture:
    """Follows one training step from forward to backward."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._losses: list[tuple[str, Any, float, Any]] = []
        self._factor = 0.0

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        device = next(root.parameters()).device.type
        cast = (device, torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else None
        self._calls = self._calls[-1:]  # keep at most two: more than one already prevents a replay
        modes = [module.training for module in root.modules()]
        self._calls.append(Call(weakref.ref(root), copied(args), copied(kwargs), torch.get_rng_state(), cast, modes))

    def forward_end(self, output: Any) -> None:
        if self._calls:
            self._calls[-1].outputs = [t.detach() for t in tensors_in(output)]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        first, _ = given_pair(name, given)
        if isinstance(first, torch.Tensor) and value.dim() == 0 and len(self._losses) < 2:
            self._losses.append((name, first.detach(), float(value.detach()), given))

    def backward(self, value: float | None) -> Replayable | str:
        """What can be replayed of this backward, or the reason why nothing can. Resets the capture."""
        calls, losses = self._calls, self._losses
        self._calls, self._losses = [], []
        if value is None or not calls:
            return "no call of a module was seen before this loss"
        if len(calls) > 1:
            return SEVERAL
        call = calls[0]
        found = _returned(call, value) or (_standard(call, value, losses[0]) if len(losses) == 1 else None)
        call.outputs = []
        if found is None:
            return BY_HAND
        # A constant factor is, for example, the division by accumulation steps. If the factor changes from step to
        # step, the loss has a second term (a penalty, a divergence), which a replay would miss.
        constant = _close(found.factor, 1.0) or _close(found.factor, self._factor)
        self._factor = found.factor
        return found if constant else MORE


def _returned(call: Call, value: float) -> Replayable | None:
    """A loss that the model itself returned."""
    for index, tensor in enumerate(call.outputs):
        if tensor.numel() == 1 and tensor.is_floating_point() and (tensor.dim() == 0 or len(call.outputs) == 1):
            own = float(tensor)
            if own:
                return Replayable(call, value, index, None, factor=value / own)
    return None


def _standard(call: Call, value: float, loss: tuple[str, Any, float, Any]) -> Replayable | None:
    """A standard loss function that got one of the model's outputs."""
    name, first, own, given = loss
    for index, tensor in enumerate(call.outputs):
        if not plain(tensor) or tensor.numel() != first.numel() or not torch.equal(tensor.reshape(first.shape), first):
            continue
        args, kwargs = given
        named = {key: item for key, item in kwargs.items() if key not in ("input", "log_probs")}
        if own:
            rest = copied(tuple(args[1:])), copied(named)
            return Replayable(call, value, index, name, tuple(first.shape), rest, value / own)
    return None


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-5 * abs(other)


def twin_of(root: Any, modes: list[bool]) -> Any:
    """A copy of the model in the modes of the training forward. Raises `ValueError` if there can be none."""
    if isinstance(root, torch.jit.ScriptModule) or type(root).__name__ == "OptimizedModule":
        raise ValueError("the model is compiled")
    try:
        twin = copy_without_hooks(root)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"the model cannot be copied ({type(error).__name__})") from None
    for module, training in zip(twin.modules(), modes, strict=False):
        module.training = training
    return twin
