"""Backward passes, gradients of functions, and scalars that the script reads out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any

import torch

from .. import sites
from ..tensors import local, transformed, usual
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
                # The script goes on with the gradients that `grad` returns.
                wanted, skipped = loss, may_skip
        if not local(loss):
            loss = None
        hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(2)), keep, training=True)
        began = hooks.clock()
        outer, hooks.inside = hooks.inside, True  # checkpointed modules run again in here: that is no new forward
        hooks.differentiating = True
        try:
            result = None if skipped else backpropagate(wanted)
        finally:
            hooks.inside, hooks.differentiating = outer, False
        hooks.announce("backward_end", loss, hooks.clock() - began)
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
            # A backward within one is that of a checkpointed module, or of a function of the script's own.
            silent = hooks.busy or hooks.differentiating or not hooks.live
            if silent or (get_ident() != hooks.thread and not hooks.may_follow()):
                return original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
            loss: Any = tensors if type(tensors) is _TENSOR else _first(tensors)
            taken = False
            if hooks.fast is not None:
                if hooks.function_modes():
                    with hooks.no_functions():
                        taken = hooks.fast.takes_backward(loss, loss is tensors, grad_tensors is not None)
                else:
                    taken = hooks.fast.takes_backward(loss, loss is tensors, grad_tensors is not None)
            if taken:
                hooks.inside, outer = True, hooks.inside
                hooks.differentiating = True
                try:
                    return original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
                finally:
                    hooks.inside, hooks.differentiating = outer, False
            return announced(
                loss,
                bool(retain_graph),
                lambda wanted: original(
                    _with_first(tensors, loss, wanted), grad_tensors, retain_graph, create_graph, grad_variables, inputs
                ),
            )

        return backward

    def trains(*given: Any) -> bool:
        with hooks.no_functions():
            return _trains(*given)

    def make_grad(original: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.busy or not hooks.live or not trains(outputs, inputs, args, kwargs):
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
            # Only what an evaluation adds up matters here: scalars without a graph, or of its own one.
            if hooks.scoring and not hooks.busy and isinstance(value, float):
                with hooks.no_functions():
                    wanted = self.requires_grad is False or hooks.evaluating
                if wanted:
                    hooks.announce("scalar_read", self, value)
            return value

        return item

    def make_equal(original: Any) -> Any:
        def eq(self: Any, other: Any) -> Any:
            if type(self) is not _TENSOR:
                hooks.withdraw(SCORING, for_good=True)
            elif type(other) is _TENSOR and hooks.scoring and not hooks.busy and not hooks.inside:
                hooks.announce("compared", self, other)
            return original(self, other)

        return eq

    def make_enter(original: Any) -> Any:
        def __enter__(self: Any) -> Any:
            hooks.saved_tensors_hooked = True
            return original(self)

        return __enter__

    hooks.patch(torch.autograd, "backward", make_backward)
    hooks.patch(torch.autograd, "grad", make_grad)
    hooks.patch(torch.autograd.graph.saved_tensors_hooks, "__enter__", make_enter)
    hooks.override(torch.Tensor, "item", make_item, needed_for=SCORING)
    for name in ("eq", "__eq__"):
        hooks.override(torch.Tensor, name, make_equal, needed_for=SCORING)
    install_transforms(hooks)


# ── gradients of functions (`torch.func`), where the weights are an argument and no backward is called ───


def install_transforms(hooks: HookPoints) -> None:
    try:
        grad_and_value = torch.func.grad_and_value
    except AttributeError:  # torch before 2.0
        return

    def announced(func: Any, argnums: Any, has_aux: bool, with_value: bool) -> Any:
        derive = grad_and_value(func, argnums, has_aux)

        @wraps(func)
        def gradient(*args: Any, **kwargs: Any) -> Any:
            began = hooks.clock()
            grads, value = derive(*args, **kwargs)
            loss, aux = value if has_aux else (value, None)
            if _of_weights(grads) and usual(loss) and not transformed(loss):
                # The graph is gone by now: only the loss is left to report. Within another transform, as for
                # per-sample gradients, it is not a number yet.
                hooks.end_fast_steps()
                hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(1)), False, training=True)
                hooks.announce("backward_end", loss, hooks.clock() - began)
            return (grads, value) if with_value else (grads, aux) if has_aux else grads

        return gradient

    def make(with_value: bool) -> Any:
        def make_transform(original: Any) -> Any:
            def transform(func: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
                if not hooks.live:
                    return original(func, argnums, has_aux)
                return announced(func, argnums, has_aux, with_value)

            return transform

        return make_transform

    hooks.patch(torch.func, "grad", make(False))
    hooks.patch(torch.func, "grad_and_value", make(True))


def _of_weights(grads: Any) -> bool:
    """Whether these are the gradients of a model's weights: several tensors, by name or in a row.

    By one tensor alone it is mostly the input, of an attack or a differential equation.
    """
    found = list(grads.values()) if isinstance(grads, dict) else grads
    return isinstance(found, list | tuple) and len(found) > 1
