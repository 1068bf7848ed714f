"""Steps that nobody is told of as they happen.

Where steps follow each other fast, most of them are quiet: what has to be known of every step (its loss, who stepped,
at which rate) goes into a list, in a few microseconds, and the observers get that list when the quiet ends: at the next
step that is heard in full, or as soon as something is not as it has been so far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import perf_counter
from types import FrameType
from typing import Any

import torch

from .inbox import cpu_value
from .points.modules import is_compiled
from .session import Session
from .sites import user_frame

# How far above its level so far a loss may lie and still be nothing to tell of.
USUAL_SHARE, USUAL_SPREADS = 0.5, 8

FEW = 16


class QuietSteps:
    """A run of quiet steps.

    Whatever is called at every step comes upon caches that the training has filled with its own: few calls, few
    objects, and none that the garbage collector has to visit.
    """

    def __init__(self, session: Session, until_step: int, until_time: float) -> None:
        self.first_step = session.step
        self.fresh_batches = 0  # delivered since the last backward
        self.last_call: tuple[Any, Any, Any] | None = None  # the model and its arguments, of the step in progress
        self.last_target: Any = None  # what the loss of that step was given
        self.last_loss: Any = None  # that was derived in that step
        self.model = 0  # the identity of the one that was last asked for: a reference would keep it alive
        self.others: set[int] = set()  # modules without parameters, such as loss functions
        self.over = False
        self._left = until_step - session.step
        self._until_time = until_time
        self._sites = session.backward_sites
        level, spread = session.loss_level
        self._highest = level + max(USUAL_SHARE * abs(level), USUAL_SPREADS * spread)
        known = [(i, o) for i, o in session.live_optimizers() if i in session.have_stepped]
        self._optimizers = {id(optimizer): index for index, optimizer in known}
        self._rates = {i: [group.get("lr") for group in o.param_groups] for i, o in known}
        self._telling = {i: _telling(o.param_groups[0]["params"]) for i, o in known}
        self._log: list[Any] = []  # a number and what belongs to it, in turns; optimizers are numbered from -1 down

    # ── as the steps happen; False where the quiet must end before this ─────────────────────────

    def may_be_quiet(self, module: Any) -> bool:
        """Whether this module's forward needs no more than being remembered. Sets `model`, or adds to `others`, to ask
        only once."""
        if is_compiled(module):
            return False
        if next(module.parameters(), None) is None:
            self.others.add(id(module))
        else:
            self.model = id(module)
        return True

    def backward(self, loss: Any, caller: FrameType) -> bool:
        frame = caller.f_back  # past `Tensor.backward`: mostly the user's own line
        site = self._sites.get((id(frame.f_code), frame.f_lasti)) if frame is not None else None
        if site is None and (frame := user_frame(caller)) is not None:
            site = self._sites.get((id(frame.f_code), frame.f_lasti))
        value: Any = cpu_value(loss)
        if site is None or (value is None and not _on_device(loss)) or loss.numel() != 1:
            return False
        if value is None:
            value = loss.detach().clone()  # stays on its device until the flush
        elif not -math.inf < value <= self._highest:
            return False
        self._log += (site, value)
        self.fresh_batches = 0
        self.last_loss = loss
        return True

    def step(self, optimizer: Any, args: Any, kwargs: Any) -> bool:
        """Called before a step, of whose end nobody is told."""
        index = self._optimizers.get(id(optimizer))
        if index is None or len(args) > 1 or kwargs:
            return False  # somebody new, or a closure
        groups = optimizer.param_groups
        telling = groups[0]["params"][self._telling[index]].grad
        if telling is not None:
            value = cpu_value(telling)
            if value is not None and not -math.inf < value < math.inf:
                return False
        rates, moved = self._rates[index], None
        # The very number that was there before needs no second look.
        if groups[0].get("lr") is not rates[0] or len(groups) > 1:
            found = [group.get("lr") for group in groups]
            if found != rates:
                moved = self._rates[index] = found
        self._log += (-1 - index, moved)
        self._left -= 1
        self.over = self._left <= 0 or perf_counter() >= self._until_time
        return True

    # ── afterwards ──────────────────────────────────────────────────────────────────────────────

    def told(self) -> Iterator[tuple[bool, int, Any]]:
        """In order: `(False, site, loss)` for a backward, `(True, optimizer, rates if they moved)` for a step."""
        entries = iter(self._log)
        for number, value in zip(entries, entries, strict=True):
            yield (True, -1 - number, value) if number < 0 else (False, number, value)

    @property
    def steps(self) -> int:
        return sum(number < 0 for number in self._log[::2])

    @property
    def backwards(self) -> int:
        return len(self._log) // 2 - self.steps

    @property
    def within_a_step(self) -> bool:
        """Whether the quiet ended before its last step did."""
        return self.last_call is not None or self.last_loss is not None

    @property
    def last_site(self) -> int | None:
        """Where the backward of the step in progress was called, if that has happened."""
        return int(self._log[-2]) if self.last_loss is not None and self._log[-2] >= 0 else None


def _telling(parameters: list[Any]) -> int:
    """Which parameter tells, by one element of its gradient, that gradients are not finite: the first that has one.

    What comes back from the loss ends there. An embedding's first row, or a unit that is off, would tell nothing.
    """
    for place, parameter in enumerate(parameters[:FEW]):
        if parameter.grad is not None and cpu_value(parameter.grad):
            return place
    return 0


def _on_device(loss: Any) -> bool:
    return isinstance(loss, torch.Tensor) and not loss.is_cpu


def bad_gradient(optimizer: Any) -> Any:
    """A parameter whose gradient is not finite, by one element that stands for all.

    Of the one that tells, and of the layer nearest to the loss: between them a unit that is off may stop what is not
    finite.
    """
    parameters = optimizer.param_groups[0]["params"]
    for parameter in (parameters[_telling(parameters)], parameters[-1]) if parameters else ():
        gradient = parameter.grad
        if gradient is not None:
            value = cpu_value(gradient)
            if value is not None and not -math.inf < value < math.inf:
                return parameter
    return None
