"""Training steps that are logged as they happen and reported to watchers later.

If steps are short, most of them take the fast path: what has to be known about every step (its loss, the optimizer, its
learning rate) goes into a list, in less than a microsecond. Observers get that list when the stretch ends: at the next
step that is observed in full, or as soon as something differs from the steps before.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Iterator
from time import perf_counter, thread_time
from types import CodeType, FrameType
from typing import Any

import torch

from ..hook_points.modules import is_compiled
from ..metric_queue import FLOATS, cpu_value
from ..model_walk import parameters
from ..session import Session
from ..sites import user_frame
from ..tensors import class_ids_in, usual
from .optimizers import KnownOptimizer, first_group, rates_of

# How far above its usual level a loss may lie without ending the stretch.
USUAL_SHARE, USUAL_SPREADS = 0.5, 8

# Used at every step, so looked up once.
_LOWEST, _TOP, _TENSOR = -math.inf, math.inf, torch.Tensor
_is_grad_enabled = torch.is_grad_enabled
_ref = weakref.ref


# The most steps between two readings of the clock, one of which costs as much as several fast steps. The first reading
# comes after as many steps as were quick last time (one, if nothing is known), and each distance doubles, up to the
# number of steps that are left at the present pace.
CLOCK_EVERY = 32
SAVED_LATER = 0.02  # seconds until it is asked again whether a write that is due pays


class FastSteps:
    """A stretch of steps on the fast path.

    While one is going on (`hooks.fast`), hook points ask it `takes_…` at each moment. True: the moment is noted and
    not announced. False: the stretch has ended, and the moment is announced like any other.

    The training fills the CPU caches with its own data, so code that runs at every step is slow for its size. This
    class therefore makes few calls and few objects, none that the garbage collector has to visit, and uses slots. The
    simplest backwards and steps are noted without a further call.
    """

    __slots__ = (
        "_asked",
        "_code",
        "_fresh_batches",
        "_highest",
        "_hooks",
        "_instruction",
        "_left",
        "_lone",
        "_model",
        "_number",
        "_one_site",
        "_only",
        "_optimizers",
        "_others",
        "_rate",
        "_root",
        "_site",
        "_sites",
        "_steps",
        "_stride",
        "_telling",
        "_told_by_batch",
        "_unasked",
        "_until_own_time",
        "_until_time",
        "_usual",
        "began",
        "delivered",
        "doubled",
        "first_step",
        "last_call",
        "last_labels",
        "last_loss",
        "last_target",
        "log",
        "over",
    )

    def __init__(self, session: Session, until_step: int, own_time: float, time: float, stride: int = 1) -> None:
        """The stretch ends at the given step, thread time or wall time, or when the record is to be written, whichever
        comes first. `stride`: how many steps pass before the clock is first read."""
        self._hooks = session.hooks
        self.first_step = session.step
        self.delivered: list[Any] = []  # for every batch that came from a loader, a weak reference to that loader
        self._told_by_batch = self._fresh_batches = 0  # length of the log at the last batch; batches since then
        self.last_labels: Any = None  # a weak reference to the class ids in the last one
        # The model (a weak reference to it) and its arguments, of the step in progress. These are kept until it steps.
        self.last_call: tuple[Any, Any, Any] | None = None
        self.last_target: Any = None  # what the loss of that step was given
        self.last_loss: Any = None  # that was backpropagated in that step: a weak reference, or its graph would stay
        self._lone = session.lone_forwards
        self.doubled: Any = None  # what the model was given in a forward that no backward followed, but another one
        self._model = 0  # the one that was last asked for: its identity, and a weak reference to it
        self._root: Any = None
        self._others: set[int] = set()  # modules without parameters, such as loss functions
        self.over = False
        self._left = until_step - session.step  # steps, as of when that was last asked
        # Steps until that is asked again: in all, and still.
        self._stride = self._unasked = max(1, min(stride, self._left, CLOCK_EVERY))
        self._asked = self.began = perf_counter()  # when the clock was last read
        self._until_own_time, self._until_time = thread_time() + own_time, self._asked + time
        self._sites = session.backward_sites
        self._one_site = len(self._sites) == 1
        self._code: CodeType | None = None  # where backward was last called from, and which of the sites that is
        self._instruction, self._site = 0, 0
        level, spread = session.loss_level
        self._highest = level + max(USUAL_SHARE * abs(level), USUAL_SPREADS * spread)
        self._usual = _LOWEST  # losses up to this need no further check; at first, every loss is checked
        known = [(i, o) for i, o in session.live_optimizers() if i in session.have_stepped]
        # Without an ordinary parameter there is no gradient to read: such an optimizer's steps are observed in full.
        self._optimizers = {id(o): KnownOptimizer(index, o) for index, o in known if any(map(usual, first_group(o)))}
        # Where one of them is known and of the simple kind: its identity, and what its steps are asked for. Each is
        # looked up at every step, so they lie here.
        self._only, self._number, self._rate = 0, 0, None
        self._telling: Any = None
        for identity, one in self._optimizers.items() if len(self._optimizers) == 1 else ():
            if one.simple:
                self._only, self._number, self._rate, self._telling = identity, one.number, one.rates[0], one.telling
        self._steps: int | None = None  # once that has been asked, which is afterwards
        self.log: list[Any] = []  # a number and what belongs to it, in turns; optimizers are numbered from -1 down

    # ── as the steps happen: what hook points ask ───────────────────────────────────────────────

    def takes_batch(self, loader: Any, batch: Any) -> bool:
        """A loader has delivered a batch. `loader` is a weak reference, or None where nobody knows it."""
        try:
            labels = class_ids_in(batch)
        except Exception as error:
            return self._failed(error)
        if self._lone and ((self.last_call is not None and self.last_loss is None) or loader in self._hooks.held_out):
            return self._ends_doubled(self.delivered[-1] if self.delivered else None)
        if len(self.log) > self._told_by_batch:
            self._told_by_batch, self._fresh_batches = len(self.log), 0
        self.delivered.append(loader)
        self._fresh_batches += 1
        self.last_labels = labels
        return True

    def takes_forward(self, module: Any, args: Any, kwargs: Any, training: bool) -> bool:
        """An outermost module is about to be called."""
        if not training or not module.training:
            return self._ends()  # an evaluation, or a change of mode
        this = id(module)
        if this != self._model and this not in self._others and not self._may_be_fast(module):
            return self._ends()
        if this == self._model:
            if self._lone and self.last_call is not None and self.last_loss is None:
                return self._ends_doubled(None)
            self.last_call = (self._root, args, kwargs)
        elif len(args) > 1:
            self.last_target = args[1]
        return True

    def _ends_doubled(self, loader: Any) -> bool:
        """A forward was followed by another one, which the backward goes through: the first was an evaluation."""
        if self.last_call is not None:
            known = self._hooks.held_out
            self.doubled = loader if loader is not None else known.source_of(*self.last_call[1:])
        return self._ends()

    def _may_be_fast(self, module: Any) -> bool:
        """Whether it is enough to remember this module's forward. The answer is kept in `_model` or `_others`."""
        if is_compiled(module):
            return False
        if next(parameters(module), None) is None:
            self._others.add(id(module))
        else:
            self._model, self._root = id(module), _ref(module)
        return True

    def takes_loss(self, args: Any, kwargs: Any) -> bool:
        """A standard loss function is about to be called."""
        if not _is_grad_enabled():
            return self._ends()
        self.last_target = args[1] if len(args) > 1 else kwargs.get("target")
        return True

    def takes_backward(self, loss: Any, alone: bool, weighted: bool) -> bool:
        """A loss is about to be backpropagated. `alone`: it is the only one, and a plain tensor. `weighted`: the
        script passes the gradient to begin with."""
        try:
            # (`tolist` calls no operator. Asking for type and address and reading there takes longer.)
            if (
                alone
                and not weighted
                and loss.is_cpu
                and type(value := loss.tolist()) is float
                and _LOWEST < value <= self._usual
            ):
                self.log += (self._site, value)
                self.last_loss = _ref(loss)
                return True
            # Without a gradient to begin with, torch itself demands that the loss has one element.
            if usual(loss) and (not weighted or loss.numel() == 1) and self._note_backward(loss, sys._getframe(2)):
                return True
        except Exception as error:
            return self._failed(error)
        return self._ends()

    def _note_backward(self, loss: Any, caller: FrameType) -> bool:
        # Reading a frame is expensive. With one known call site, the frame is read only when the clock is.
        if self._usual == _LOWEST:
            if not self._find_site(caller):
                return False
            if self._one_site:
                self._usual = self._highest
        value: Any = cpu_value(loss)
        if value is None:
            if not _on_device(loss):
                return False
            value = loss.detach().clone()  # stays on its device until the flush
        elif not _LOWEST < value <= self._highest:
            return False
        self.log += (self._site, value)
        self.last_loss = _ref(loss)
        return True

    def _find_site(self, caller: FrameType) -> bool:
        frame = caller.f_back  # past `Tensor.backward`: mostly the user's own line
        if frame is not None and frame.f_code is self._code and frame.f_lasti == self._instruction:
            return True  # the same as last time
        for frame in (caller.f_back, user_frame(caller)):
            if frame is not None:
                site = self._sites.get((id(frame.f_code), frame.f_lasti))
                if site is not None:
                    self._code, self._instruction, self._site = frame.f_code, frame.f_lasti, site
                    return True
        return False

    def takes_step(self, optimizer: Any, args: Any, kwargs: Any) -> bool:
        """An optimizer is about to step. The end of the step is needed only where this sets `over`."""
        try:
            if (
                id(optimizer) == self._only
                and self._unasked > 1
                and len(args) == 1
                and not kwargs
                and optimizer.param_groups[0]["lr"] is self._rate
                and (telling := self._telling()) is not None
                and type(gradient := telling.grad) is _TENSOR
                and gradient.is_cpu
                and (address := gradient.data_ptr())
                and _LOWEST < FLOATS[address >> 2] < _TOP
            ):
                self.log += (self._number, None)
                self._unasked -= 1
            # A step in the middle of a backward, as soon as a parameter has its gradient, is observed in full.
            elif self._hooks.inside or not self._note_step(optimizer, args, kwargs):
                return self._ends()
        except Exception as error:
            return self._failed(error)
        self.last_call = self.last_target = self.last_loss = None
        return True

    def _note_step(self, optimizer: Any, args: Any, kwargs: Any) -> bool:
        known = self._optimizers.get(id(optimizer))
        if known is None or len(args) > 1 or kwargs:
            return False  # somebody new, or a closure
        groups = optimizer.param_groups
        telling = known.telling()
        if telling is None:
            return False
        gradient = telling.grad
        if gradient is not None:
            value = cpu_value(gradient)
            if value is not None and not _LOWEST < value < _TOP:
                return False
        moved = None
        # The same number as before needs no second check.
        if groups[0].get("lr") is not known.rates[0] or len(groups) > 1:
            found = rates_of(groups)
            if found != known.rates:
                moved = known.rates = found
            if self._only == id(optimizer):
                self._only, self._rate = (self._only, found[0]) if len(found) == 1 else (0, None)
        self.log += (known.number, moved)
        self._unasked -= 1
        if self._unasked <= 0:
            self._ask_whether_over()
        return True

    def takes_step_end(self) -> bool:
        """An optimizer has stepped. What happened in it was noted before, so it is never announced."""
        if self.over:
            self._ends()
        return True

    def takes_compiled(self, steps: bool) -> bool:
        """A compiled function is about to be called. `steps`: an optimizer steps inside it."""
        return not steps or self._ends()

    def _ask_whether_over(self) -> None:
        self._left -= self._stride
        now, hooks = perf_counter(), self._hooks
        until = min(self._until_time, hooks.save_due)
        self.over = self._left <= 0 or thread_time() >= self._until_own_time or now >= self._until_time
        if not self.over and now >= until:
            self.over = hooks.must_save(now)
            until = now + SAVED_LATER
        at_this_pace = int(self._stride * (until - now) / max(now - self._asked, 1e-9))
        self._asked = now
        self._stride = self._unasked = min(2 * self._stride, CLOCK_EVERY, self._left, max(1, at_this_pace))
        self._usual = _LOWEST  # of the next loss, it is asked where it comes from

    def _ends(self) -> bool:
        self._hooks.end_fast_steps()
        return False

    def _failed(self, error: Exception) -> bool:
        self._hooks.never_fast(error)
        return self._ends()

    # ── afterwards ──────────────────────────────────────────────────────────────────────────────

    def told(self) -> Iterator[tuple[bool, int, Any]]:
        """In order: `(False, site, loss)` for a backward, `(True, optimizer, rates if they moved)` for a step."""
        entries = iter(self.log)
        for number, value in zip(entries, entries, strict=True):
            yield (True, -1 - number, value) if number < 0 else (False, number, value)

    def told_alike(self) -> tuple[int, int, list[Any]] | None:
        """`(site, optimizer, losses)` where each step was one backward, at one place, and the same optimizer's step."""
        log = self.log
        count, rest = divmod(len(log), 4)
        if rest or not count or log[0] < 0 or log[2] >= 0:
            return None
        alike = log[0::4] == [log[0]] * count and log[2::4] == [log[2]] * count and log[3::4] == [None] * count
        return (log[0], -1 - log[2], log[1::4]) if alike else None

    @property
    def steps(self) -> int:
        if self._steps is None:
            self._steps = sum(number < 0 for number in self.log[::2])
        return self._steps

    @property
    def backwards(self) -> int:
        return len(self.log) // 2 - self.steps

    @property
    def backwards_since_step(self) -> int:
        """How many backwards came after the last of these steps."""
        return next((n for n, number in enumerate(self.log[-2::-2]) if number < 0), len(self.log) // 2)

    @property
    def fresh_batches(self) -> int:
        """How many batches came from loaders since the last backward or step."""
        return self._fresh_batches if len(self.log) == self._told_by_batch else 0

    @property
    def within_a_step(self) -> bool:
        """Whether the stretch ended before its last step did."""
        return self.last_call is not None or self.last_loss is not None

    @property
    def last_site(self) -> int | None:
        """Where the backward of the step in progress was called, if that has happened."""
        return int(self.log[-2]) if self.last_loss is not None and self.log[-2] >= 0 else None


def _on_device(loss: Any) -> bool:
    return isinstance(loss, torch.Tensor) and not loss.is_cpu
