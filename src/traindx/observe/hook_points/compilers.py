"""Compilers and tracers read the user's code: meanwhile, and while compiled functions run, torch is restored to its
original state. What happens inside compiled code is not visible; the session records that. A compiled function may be a
whole training step, so its begin and end are announced."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

import torch
from torch import nn

from .hooks import HookPoints


class Compiled:
    """A function that was compiled, and what has been learned of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps = False  # an optimizer steps in it: it is no part of the fast path


def install(hooks: HookPoints) -> None:
    def make_compile(original: Any) -> Any:
        def compile(*args: Any, **kwargs: Any) -> Any:
            with hooks.out_of_the_way():
                compiled = original(*args, **kwargs)
            if isinstance(compiled, nn.Module):
                see_parts(type(compiled))
            # Modules are recognised when they are called. Without a function this made a decorator, which comes
            # through here again when it is applied.
            nothing_done = kwargs.get("disable") or not args or args[0] is None
            if nothing_done or isinstance(compiled, nn.Module) or not callable(compiled):
                return compiled

            function = Compiled(getattr(args[0], "__name__", type(args[0]).__name__))

            def call_compiled(*inner: Any, **named: Any) -> Any:
                if not hooks.live:
                    return compiled(*inner, **named)
                noted = hooks.fast is not None and hooks.fast.takes_compiled(function.steps)
                told = not noted and not hooks.inside
                if told:
                    hooks.announce("compiled_begin", function)
                began = hooks.clock()
                with hooks.out_of_the_way():
                    result = compiled(*inner, **named)
                if told:
                    hooks.announce("compiled_end", function, result, hooks.clock() - began)
                return result

            return update_wrapper(call_compiled, args[0])

        return compile

    def make_part(original: Any) -> Any:
        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            # Called on its own, it is an outermost module; within another model nobody else steps aside for it.
            if not hooks.inside:
                return original(self, *args, **kwargs)
            with hooks.out_of_the_way():
                return original(self, *args, **kwargs)

        return __call__

    seen: set[Any] = set()

    def see_parts(kind: Any) -> None:
        if kind not in seen:
            seen.add(kind)
            hooks.patch(kind, "__call__", make_part)

    def make_tracer(original: Any) -> Any:
        def trace(*args: Any, **kwargs: Any) -> Any:
            with hooks.out_of_the_way():
                return original(*args, **kwargs)

        return trace

    def make_script(original: Any) -> Any:
        # TorchScript looks names up in the frame that called it, counted from its own: ours lies between.
        def script(
            obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, *args: Any, **named: Any
        ) -> Any:
            with hooks.out_of_the_way():
                return original(obj, optimize, _frames_up + 1, _rcb, *args, **named)

        return script

    hooks.patch(torch, "compile", make_compile)
    hooks.patch(torch.jit, "script", make_script)
    for name in ("trace", "trace_module", "freeze"):
        hooks.patch(torch.jit, name, make_tracer)
    hooks.patch(torch.export, "export", make_tracer)
