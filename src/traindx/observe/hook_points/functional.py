"""Gradients of functions (`torch.func`), where the weights are an argument and no backward is called."""

from __future__ import annotations

import sys
from functools import wraps
from time import perf_counter
from typing import Any

import torch

from .. import sites
from ..tensors import transformed, usual
from .hooks import HookPoints


def install(hooks: HookPoints) -> None:
    try:
        grad_and_value = torch.func.grad_and_value
    except AttributeError:  # torch before 2.0
        return

    def announced(func: Any, argnums: Any, has_aux: bool, with_value: bool) -> Any:
        derive = grad_and_value(func, argnums, has_aux)

        @wraps(func)
        def gradient(*args: Any, **kwargs: Any) -> Any:
            began = perf_counter()
            grads, value = derive(*args, **kwargs)
            loss, aux = value if has_aux else (value, None)
            if _trains(grads) and usual(loss) and not transformed(loss):
                # The graph is gone by now: only the loss is left to report. Within another transform, as for
                # per-sample gradients, it is not a number yet.
                hooks.end_fast_steps()
                hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(1)), False, training=True)
                hooks.announce("backward_end", loss, perf_counter() - began)
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


def _trains(grads: Any) -> bool:
    """Whether these are the gradients of a model's weights: several tensors, by name or in a row.

    By one tensor alone it is mostly the input, of an attack or a differential equation.
    """
    found = list(grads.values()) if isinstance(grads, dict) else grads
    return isinstance(found, list | tuple) and len(found) > 1
