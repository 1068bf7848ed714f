"""Backward passes, and scalars that the script reads out."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch

from .. import sites
from ..hooks import SCORING, HookPoints
from ..memory import FLOATS

_LOWEST = -math.inf


def _trains(outputs: Any, inputs: Any, args: Any, kwargs: Any) -> bool:
    """Whether `torch.autograd.grad` takes a training's gradient: of one number, by weights, not to be derived again.

    By an input alone it is an attack or an explanation; with a graph of its own, part of a loss that is yet to come.
    """
    several = isinstance(outputs, (tuple, list))
    if (several and len(outputs) != 1) or (args[2] if len(args) > 2 else kwargs.get("create_graph")):
        return False
    loss = outputs[0] if several else outputs
    given = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs) if isinstance(inputs, (tuple, list)) else []
    return (
        isinstance(loss, torch.Tensor)
        and loss.numel() == 1
        and bool(given)
        and all(isinstance(tensor, torch.Tensor) and tensor.is_leaf for tensor in given)
        and (len(given) > 1 or isinstance(given[0], torch.nn.Parameter))
    )


def install(hooks: HookPoints) -> None:
    def announced(loss: Any, keep: bool, derive: Callable[[], Any]) -> Any:
        """Derives, and tells of it before and after. Called by a wrapper, which the user's code called."""
        if hooks.driver is not None:
            hooks.driver.before_backward(loss)
        hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(2)), keep, training=True)
        began = perf_counter()
        outer, hooks.inside = hooks.inside, True  # checkpointed modules run again in here: that is no new forward
        try:
            result = derive()
        finally:
            hooks.inside = outer
        hooks.announce("backward_end", loss, perf_counter() - began)
        return result

    def make_backward(original: Any) -> Any:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.busy or not hooks.live:
                return original(tensors, *args, **kwargs)
            loss: Any = tensors if isinstance(tensors, torch.Tensor) else next(iter(tensors), None)
            quiet = hooks.quiet
            if quiet is not None:
                given = args[0] if args else kwargs.get("grad_tensors")
                try:
                    if given is not None or quiet.unasked == 1 or not quiet.one_site:
                        # Only what has one element can be derived without being given a gradient.
                        noted = (given is None or loss.numel() == 1) and quiet.backward(loss)
                    elif (
                        type(loss) is torch.Tensor
                        and loss.is_cpu
                        and loss.dtype is torch.float32
                        and (address := loss.data_ptr())
                        and not address & 3
                        and _LOWEST < (value := FLOATS[address >> 2]) <= quiet.highest
                    ):
                        # `quiet.backward` written out, for the simplest of losses: most that are derived in haste.
                        quiet.log += (quiet.site, value)
                        quiet.fresh_batches = 0
                        quiet.last_loss = loss
                        noted = True
                    else:
                        noted = quiet.backward(loss)
                except Exception as error:
                    noted = hooks.never_quiet(error)
                if noted:
                    hooks.inside, outer = True, hooks.inside
                    try:
                        return original(tensors, *args, **kwargs)
                    finally:
                        hooks.inside = outer
                hooks.end_quiet()
            keep = bool(args[1] if len(args) > 1 else kwargs.get("retain_graph"))
            return announced(loss, keep, lambda: original(tensors, *args, **kwargs))

        return backward

    def make_grad(original: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.busy or not hooks.live or not _trains(outputs, inputs, args, kwargs):
                return original(outputs, inputs, *args, **kwargs)
            hooks.end_quiet()
            loss = outputs if isinstance(outputs, torch.Tensor) else outputs[0]
            keep = bool(args[1] if len(args) > 1 else kwargs.get("retain_graph"))
            return announced(loss, keep, lambda: original(outputs, inputs, *args, **kwargs))

        return grad

    def make_item(original: Any) -> Any:
        def item(self: Any) -> Any:
            value = original(self)
            # Only scalars without a graph matter here: what an evaluation adds up.
            if hooks.scoring and not hooks.busy and self.requires_grad is False and isinstance(value, float):
                hooks.announce("scalar_read", self, value)
            return value

        return item

    def make_enter(original: Any) -> Any:
        def __enter__(self: Any) -> Any:
            hooks.saved_tensors_hooked = True
            return original(self)

        return __enter__

    hooks.patch(torch.autograd, "backward", make_backward)
    hooks.patch(torch.autograd, "grad", make_grad)
    hooks.patch(torch.autograd.graph.saved_tensors_hooks, "__enter__", make_enter)
    hooks.override(torch.Tensor, "item", make_item, needed_for=SCORING)
