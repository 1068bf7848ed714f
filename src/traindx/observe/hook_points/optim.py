"""Optimizers, their steps, cleared gradients, schedulers, clipping, the scaling of losses; autocast in driven runs."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from threading import get_ident
from typing import Any

import torch
from torch.optim import lr_scheduler
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from .. import sites
from ..tensors import usual
from .hooks import Driver, HookPoints


def _has_closure(args: Any, kwargs: Any) -> bool:
    """Whether step() was given a function that runs forward and backward. `args` begins with the optimizer itself."""
    return any(callable(argument) for argument in args[1:]) or callable(kwargs.get("closure"))


@torch.no_grad()
def _norm(parameters: Any) -> Any:
    """The norm of all gradients together."""
    given = [parameters] if isinstance(parameters, torch.Tensor) else parameters
    gradients = [p.grad for p in given if usual(p) and p.grad is not None and usual(p.grad) and not p.grad.is_sparse]
    return torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))) if gradients else None


def _limited_anew(driver: Driver, kind: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a clipping call with the driver's limit."""
    if args:
        return (driver.clip_limit(kind, args[0]), *args[1:]), kwargs
    name = "max_norm" if kind == "norm" else "clip_value"
    return args, {**kwargs, name: driver.clip_limit(kind, kwargs[name])} if name in kwargs else kwargs


def _drive_steps(hooks: HookPoints, kind: type) -> None:
    """Lets the driver decide on the steps of schedulers of this class. Only runs that are driven come here."""

    def make(original: Any) -> Any:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            # Ask once: a scheduler's step may call that of its base class. Its constructor makes its first step.
            asked = hooks.driver is not None and hooks.live and self in hooks.driven_schedulers and not hooks.deciding
            if asked and hooks.driver is not None and not hooks.driver.scheduler_step(self):
                return None
            hooks.deciding, outer = hooks.deciding or asked, hooks.deciding
            try:
                return original(self, *args, **kwargs)
            finally:
                hooks.deciding = outer

        return step

    for owner in kind.__mro__:
        if "step" in vars(owner) and not hasattr(vars(owner)["step"], "__wrapped__"):
            hooks.patch(owner, "step", make)


def install(hooks: HookPoints) -> None:
    def measure(parameters: Any) -> Any:
        with hooks.unseen():
            return _norm(parameters)

    def optimizer_made(result: None, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        if hooks.driver is not None:
            hooks.driver.optimizer_made(optimizer)
        hooks.announce("optimizer_made", optimizer, sites.where_made(optimizer))

    def scheduler_made(result: None, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        if hooks.driver is not None:
            _drive_steps(hooks, type(scheduler))
            hooks.driven_schedulers.add(scheduler)
            hooks.driver.scheduler_made(scheduler)
        hooks.announce("scheduler_made", scheduler, sites.where_made(scheduler))

    def cleared(result: Any, owner: Any, *args: Any, **kwargs: Any) -> None:
        if hooks.fast is None:
            hooks.announce("grads_cleared", owner)

    def make_clip(kind: str) -> Any:
        def make(original: Any) -> Any:
            def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
                # A generator would be used up by the first reader; a list serves both.
                if not isinstance(parameters, torch.Tensor):
                    parameters = list(parameters)
                if hooks.driver is not None and hooks.live:
                    args, kwargs = _limited_anew(hooks.driver, kind, args, kwargs)
                # Cutting values returns no norm: what it does to the gradient shows before and after, on looks.
                measured = kind == "value" and hooks.live and hooks.looking and not hooks.busy
                before = measure(parameters) if measured else None
                norm = original(parameters, *args, **kwargs)
                if measured:
                    norm = (before, measure(parameters))
                limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
                hooks.announce("clipped", kind, parameters, limit, norm, sites.here(2) if hooks.live else None)
                return None if kind == "value" else norm

            return clip

        return make

    began: dict[int, float] = {}

    def before_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        if hooks.live and get_ident() != hooks.thread and not hooks.may_follow():
            return
        fast = hooks.fast
        if fast is not None:
            if hooks.function_modes():
                with hooks.no_functions():
                    taken = fast.takes_step(optimizer, args, kwargs)
            else:
                taken = fast.takes_step(optimizer, args, kwargs)
            if taken:
                if (ends.handle is None) is fast.over:  # at every step, so without a call
                    ends.on = fast.over
                return
        ends.on = True
        if hooks.driver is not None and hooks.live:
            hooks.driver.before_step(optimizer)
        hooks.announce("step_begin", optimizer, _has_closure(args, kwargs))
        began[id(optimizer)] = hooks.clock()

    def after_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        if hooks.fast is not None and hooks.fast.takes_step_end():
            return
        seconds = hooks.clock() - began.pop(id(optimizer), hooks.clock())
        closure = _has_closure(args, kwargs)
        hooks.announce("step_end", optimizer, closure, seconds)
        if hooks.driver is not None and hooks.live:
            hooks.driver.after_step(optimizer)

    hooks.before_step, hooks.after_step = before_step, after_step
    hooks.after(Optimizer, "__init__", optimizer_made)
    for owner in (Optimizer, torch.nn.Module):
        hooks.after(owner, "zero_grad", cleared)
    for scheduler in (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau):
        hooks.after(scheduler, "__init__", scheduler_made)
    for name, kind in (("clip_grad_norm_", "norm"), ("clip_grad_value_", "value")):
        hooks.patch(torch.nn.utils, name, make_clip(kind))
        hooks.patch(torch.nn.utils.clip_grad, name, make_clip(kind))
    # torch offers these itself, for every optimizer class, also those that override step().
    begins = _StepHook(register_optimizer_step_pre_hook, before_step)
    ends = _StepHook(register_optimizer_step_post_hook, after_step)
    begins.on = True
    for hook in (begins, ends):
        hooks.on_remove(hook.remove)
        # A compiler would read what is called at a step of an optimizer, and make it part of what it compiles.
        hooks.set_aside_by(hook.set_aside, hook.put_back)
    install_precision(hooks)


class _StepHook:
    """Calls a function where steps begin, or where they end. Ends of steps on the fast path are not needed."""

    def __init__(self, register: Callable[..., Any], call: Callable[..., None]) -> None:
        self._register = register
        self._call = call
        self.handle: Any = None
        self._aside = False

    @property
    def on(self) -> bool:
        return self.handle is not None

    @on.setter
    def on(self, on: bool) -> None:
        # Ends are switched where a step begins: as it ends, torch goes through these hooks, and they must not change.
        if on and self.handle is None:
            self.handle = self._register(self._call)
        elif not on:
            self.remove()

    def remove(self) -> None:
        if self.handle is not None:
            self.handle.remove()
            self.handle = None

    def set_aside(self) -> None:
        self._aside = self.on
        self.remove()

    def put_back(self) -> None:
        self.on = self._aside


# ── half precision ────────────────────────────────────────────────────────────────────────────────

try:
    from torch.amp.grad_scaler import GradScaler
except ImportError:  # torch before 2.3
    from torch.cuda.amp import GradScaler


def install_precision(hooks: HookPoints) -> None:
    def make_scale(original: Any) -> Any:
        def scale(self: Any, outputs: Any) -> Any:
            if self.is_enabled():
                hooks.end_fast_steps()  # the loss that is backpropagated is not the one to note
            result = original(self, outputs)
            hooks.announce("loss_scaled", self, outputs, result)
            return result

        return scale

    def unscaled(result: None, scaler: Any, optimizer: Any) -> None:
        hooks.announce("unscaled", scaler, optimizer)

    def stepped(result: Any, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        hooks.announce("scaler_step", scaler, optimizer)

    hooks.patch(GradScaler, "scale", make_scale)
    hooks.after(GradScaler, "unscale_", unscaled)
    hooks.after(GradScaler, "step", stepped)
    if hooks.driver is not None:
        _drive_autocast(hooks)


def _drive_autocast(hooks: HookPoints) -> None:
    def make_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if hooks.driver is not None and hooks.live:
                given = dict(signature(original).bind(self, *args, **kwargs).arguments)
                given.pop("self")
                args, kwargs = (), hooks.driver.autocast(given)
            original(self, *args, **kwargs)

        return __init__

    hooks.patch(torch.amp.autocast_mode.autocast, "__init__", make_init)
