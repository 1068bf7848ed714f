"""Outermost module calls, and where weights come from: initialisers and checkpoints.

Replacing `Module.__call__` costs a module in the middle of a model a tenth of a microsecond, where torch's own
global forward hooks would send every module down the slow path; and unlike hooks on the user's modules it leaves
nothing in them that could be pickled, copied or traced.
"""

from __future__ import annotations

import weakref
from threading import get_ident
from typing import Any

import torch
from torch import nn
from torch.nn import init

from .. import sites
from ..ranks import world_size
from .hooks import HookPoints

_is_grad_enabled = torch.is_grad_enabled  # asked for at every step, so looked up once


def is_compiled(module: Any) -> bool:
    # Looked up where torch keeps them: a module that is asked for what it has not takes its time to say so.
    return "_orig_mod" in module._modules or module._compiled_call_impl is not None


def install(hooks: HookPoints) -> None:
    ready: weakref.WeakSet[Any] = weakref.WeakSet()  # modules whose first forward was announced to a driver

    def make_call(original: Any) -> Any:
        # All that torch's own `__call__` does is to call `_call_impl`, unless a module is compiled. Where that is done
        # here, every part of a model costs one call less.
        passes_on = original is getattr(nn.Module, "_wrapped_call_impl", None)

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.inside or hooks.busy or not hooks.live:
                if not hooks.inner or hooks.busy or hooks.elsewhere():
                    if passes_on and self._compiled_call_impl is None:
                        return self._call_impl(*args, **kwargs)
                    return original(self, *args, **kwargs)
                hooks.announce("module_begin", self, args)
                output = original(self, *args, **kwargs)
                hooks.announce("module_end", self, output)
                return output
            if get_ident() != hooks.thread and hooks.elsewhere():
                return original(self, *args, **kwargs)
            training = _is_grad_enabled() and (self.training or not hooks.modes_switch)
            if hooks.held_out and training:
                training = not hooks.given_held_out(args, kwargs)
            if hooks.fast is not None and hooks.fast.takes_forward(self, args, kwargs, training):
                hooks.inside = True
                try:
                    if passes_on and self._compiled_call_impl is None:
                        return self._call_impl(*args, **kwargs)
                    return original(self, *args, **kwargs)
                finally:
                    hooks.inside = False
            if hooks.driver is not None:
                if self not in ready:
                    ready.add(self)
                    hooks.driver.model_ready(self)
                args, kwargs = hooks.driver.forward_inputs(self, args, kwargs)
            hooks.announce("forward_begin", self, args, kwargs, training=training)
            hooks.inside = True
            if hooks.inner:
                hooks.announce("module_begin", self, args)
            began = hooks.clock()
            try:
                if is_compiled(self):
                    with hooks.out_of_the_way():
                        output = original(self, *args, **kwargs)
                else:
                    output = original(self, *args, **kwargs)
            except BaseException:
                hooks.inner = False
                hooks.announce("forward_failed", self)
                raise
            finally:
                hooks.inside = False
            if hooks.driver is not None:
                output = hooks.driver.forward_output(self, output)
            if hooks.inner:
                hooks.announce("module_end", self, output)
                hooks.inner = False
            training = training and not hooks.evaluating
            hooks.announce("forward_end", self, args, kwargs, output, hooks.clock() - began, training=training)
            return output

        return __call__

    def loaded(result: Any, module: Any, *args: Any, **kwargs: Any) -> None:
        hooks.announce("state_loaded", module, sites.here())

    def initialised(tensor: Any, /, *args: Any, **kwargs: Any) -> None:  # a script may name its argument `tensor` too
        hooks.announce("initialised", tensor)

    hooks.patch(nn.Module, "__call__", make_call)
    hooks.after(nn.Module, "load_state_dict", loaded)
    for name in list(vars(init)):
        if name.endswith("_") and not name.startswith("_"):
            hooks.after(init, name, initialised)
    install_replicas(hooks)


# ── models that are replicated over processes, and gradients that a script averages over them itself ───


def install_replicas(hooks: HookPoints) -> None:
    # A process that no launcher has started has nobody to share a model with: torch stays as it is.
    if world_size() < 2 or not torch.distributed.is_available():
        return

    def replicated(result: None, wrapper: Any, *args: Any, **kwargs: Any) -> None:
        hooks.announce("replicated", wrapper, sites.where_made(wrapper))

    def reduced(work: Any, tensor: Any, *args: Any, **kwargs: Any) -> None:
        hooks.announce("reduced", tensor, training=True)

    hooks.after(torch.nn.parallel.DistributedDataParallel, "__init__", replicated)
    hooks.after(torch.distributed, "all_reduce", reduced)
    hooks.after(torch.distributed.distributed_c10d, "all_reduce", reduced)
