"""Backward passes, and scalars that the script reads out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from time import perf_counter
from typing import Any

import torch

from .. import sites
from ..tensors import local, usual
from .hooks import SCORING, HookPoints

_TENSOR = torch.Tensor  # asked for at every step, so looked up once


def _trains(outputs: Any, inputs: Any, args: Any, kwargs: Any) -> bool:
    """Whether `torch.autograd.grad` takes a training's gradient: of one number, by weights, without a graph of its own.

    By an input alone it is an attack or an explanation; with a graph of its own, part of a loss that is yet to come.
    """
    several = isinstance(outputs, (tuple, list))
    if (several and len(outputs) != 1) or (args[2] if len(args) > 2 else kwargs.get("create_graph")):
        return False
    loss = outputs[0] if several else outputs
    given = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs) if isinstance(inputs, (tuple, list)) else []
    return (
        usual(loss)
        and loss.numel() == 1
        and bool(given)
        and all(usual(tensor) and tensor.is_leaf for tensor in given)
        and (len(given) > 1 or isinstance(given[0], torch.nn.Parameter))
    )


def _first(tensors: Any) -> Any:
    return tensors if isinstance(tensors, torch.Tensor) else next(iter(tensors), None)


def _with_first(tensors: Any, loss: Any, wanted: Any) -> Any:
    """What backward is called on, with a driver's tensor in the place of the loss."""
    if wanted is loss:
        return tensors
    return wanted if tensors is loss else [wanted, *list(tensors)[1:]]


def install(hooks: HookPoints) -> None:
    def announced(loss: Any, keep: bool, backpropagate: Callable[[Any], Any], may_skip: bool = True) -> Any:
        """Backpropagates, and announces it before and after. Called by a wrapper, which the user's code called."""
        wanted, skipped = loss, False
        if hooks.driver is not None:
            hooks.driver.before_backward(loss)
            wanted = hooks.driver.differentiated(loss)
            if wanted is None:
                # Of `grad`, the script goes on with the gradients that it is returned.
                wanted, skipped = loss, may_skip
        if not local(loss):
            loss = None
        hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(2)), keep, training=True)
        began = perf_counter()
        outer, hooks.inside = hooks.inside, True  # checkpointed modules run again in here: that is no new forward
        try:
            result = None if skipped else backpropagate(wanted)
        finally:
            hooks.inside = outer
        hooks.announce("backward_end", loss, perf_counter() - began)
        return result

    def make_backward(original: Any) -> Any:
        # Torch's own parameters by name: a call that is passed on as `*args, **kwargs` costs twice as much.
        def backward(
            tensors: Any,
            grad_tensors: Any = None,
            retain_graph: Any = None,
            create_graph: Any = False,
            grad_variables: Any = None,
            inputs: Any = None,
        ) -> Any:
            if hooks.busy or not hooks.live or (get_ident() != hooks.thread and not hooks.may_follow()):
                return original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
            loss: Any = tensors if type(tensors) is _TENSOR else _first(tensors)
            if hooks.fast is not None and hooks.fast.takes_backward(loss, loss is tensors, grad_tensors is not None):
                hooks.inside, outer = True, hooks.inside
                try:
                    return original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
                finally:
                    hooks.inside = outer
            return announced(
                loss,
                bool(retain_graph),
                lambda wanted: original(
                    _with_first(tensors, loss, wanted), grad_tensors, retain_graph, create_graph, grad_variables, inputs
                ),
            )

        return backward

    def make_grad(original: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.busy or not hooks.live or not _trains(outputs, inputs, args, kwargs):
                return original(outputs, inputs, *args, **kwargs)
            hooks.end_fast_steps()
            loss = outputs if isinstance(outputs, torch.Tensor) else outputs[0]
            keep = bool(args[1] if len(args) > 1 else kwargs.get("retain_graph"))

            def backpropagate(wanted: Any) -> Any:
                return original(_with_first(outputs, loss, wanted), inputs, *args, **kwargs)

            return announced(loss, keep, backpropagate, may_skip=False)

        return grad

    def make_item(original: Any) -> Any:
        def item(self: Any) -> Any:
            if type(self) is not _TENSOR:
                # Classes of their own compare the function that they are handed with torch's: it has to be that one.
                hooks.withdraw(SCORING, for_good=True)
                return original(self)
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
