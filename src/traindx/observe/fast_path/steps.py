"""Training steps that are noted as they happen and reported to watchers later.

Where steps follow each other fast, most of them take the fast path: what has to be known of every step (its loss, the
optimizer, its learning rate) goes into a list, in less than a microsecond. Observers get that list when the stretch
ends: at the next step that is heard in full, or as soon as something differs from the steps before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from time import perf_counter, thread_time
from types import CodeType, FrameType
from typing import Any

import torch

from ..hook_points.modules import is_compiled
from ..metric_queue import cpu_value
from ..model_walk import parameters
from ..session import Session
from ..sites import user_frame
from ..tensors import class_ids_in, usual

# How far above its level so far a loss may lie and still be nothing to tell of.
USUAL_SHARE, USUAL_SPREADS = 0.5, 8

FEW = 16

_LOWEST, _TOP = -math.inf, math.inf

# Steps between two looks at the clock, at the most: one costs as much as many a fast step. The first is after as many
# as were quick the last time (one, where nothing is known), and each distance twice the last: where steps turn out to
# be slow, a fast stretch lasts no more than about twice as long as it was meant to.
CLOCK_EVERY = 32


class _Known:
    """An optimizer that has stepped before. It and its parameter are kept only until the stretch ends."""

    __slots__ = ("number", "rates", "telling")

    def __init__(self, index: int, optimizer: Any) -> None:
        self.number = -1 - index  # as the log has it
        self.rates = rates_of(optimizer.param_groups)
        self.telling = _telling(_first_group(optimizer))

    @property
    def simple(self) -> bool:
        return len(self.rates) == 1 and self.rates[0] is not None and self.telling.dtype is torch.float32


class FastSteps:
    """A stretch of steps on the fast path.

    The training fills the CPU caches with its own data, so code that runs at every step is slow for its size. This
    class therefore makes few calls and few objects, none that the garbage collector has to visit, and uses slots. A
    call costs about as much as its body, so the wrappers in `hook_points/` note the simplest steps themselves.
    """

    __slots__ = (
        "_code",
        "_fresh_batches",
        "_highest",
        "_instruction",
        "_left",
        "_one_site",
        "_optimizers",
        "_sites",
        "_steps",
        "_stride",
        "_told_by_batch",
        "_until_own_time",
        "_until_time",
        "delivered",
        "first_step",
        "last_call",
        "last_labels",
        "last_loss",
        "last_target",
        "log",
        "model",
        "number",
        "only",
        "others",
        "over",
        "rate",
        "site",
        "telling",
        "unasked",
        "usual",
    )

    def __init__(self, session: Session, until_step: int, own_time: float, time: float, stride: int = 1) -> None:
        """The stretch ends at the given step, thread time or wall time, whichever comes first. `stride`: how many
        steps pass before the clock is first read."""
        self.first_step = session.step
        self.delivered: list[Any] = []  # for every batch that came from a loader, a weak reference to that loader
        self._told_by_batch = self._fresh_batches = 0  # how long the log was at the last one, and how many came since
        self.last_labels: Any = None  # a weak reference to the class ids in the last one
        self.last_call: tuple[Any, Any, Any] | None = None  # the model and its arguments, of the step in progress
        self.last_target: Any = None  # what the loss of that step was given
        self.last_loss: Any = None  # that was derived in that step
        self.model = 0  # the identity of the one that was last asked for: a reference would keep it alive
        self.others: set[int] = set()  # modules without parameters, such as loss functions
        self.over = False
        self._left = until_step - session.step  # steps, as of when that was last asked
        # Steps until that is asked again: in all, and still.
        self._stride = self.unasked = max(1, min(stride, self._left, CLOCK_EVERY))
        self._until_own_time, self._until_time = thread_time() + own_time, perf_counter() + time
        self._sites = session.backward_sites
        self._one_site = len(self._sites) == 1
        self._code: CodeType | None = None  # where backward was last called from, and which of the sites that is
        self._instruction, self.site = 0, 0
        level, spread = session.loss_level
        self._highest = level + max(USUAL_SHARE * abs(level), USUAL_SPREADS * spread)
        self.usual = _LOWEST  # how high a loss may be of which nothing else is asked: at first, none is
        known = [(i, o) for i, o in session.live_optimizers() if i in session.have_stepped]
        # Without an ordinary parameter there is no gradient that could tell of anything: its steps are heard in full.
        self._optimizers = {id(o): _Known(index, o) for index, o in known if any(map(usual, _first_group(o)))}
        # Where one of them is known and of the simple kind: its identity, and what its steps are asked for. Each is
        # looked up at every step, so they lie here.
        self.only, self.number, self.rate, self.telling = 0, 0, None, None
        for identity, one in self._optimizers.items() if len(self._optimizers) == 1 else ():
            if one.simple:
                self.only, self.number, self.rate, self.telling = identity, one.number, one.rates[0], one.telling
        self._steps: int | None = None  # once that has been asked, which is afterwards
        self.log: list[Any] = []  # a number and what belongs to it, in turns; optimizers are numbered from -1 down

    # ── as the steps happen; False where the stretch must end before this ─────────────────────────

    def may_be_fast(self, module: Any) -> bool:
        """Whether it is enough to remember this module's forward. The answer is kept in `model` or `others`."""
        if is_compiled(module):
            return False
        if next(parameters(module), None) is None:
            self.others.add(id(module))
        else:
            self.model = id(module)
        return True

    def backward(self, loss: Any) -> bool:
        """The wrapper calls this before it backpropagates a loss of one element."""
        # Reading a frame is expensive. With one known call site, the frame is read only when the clock is.
        if self.usual == _LOWEST:
            if not self._find_site(sys._getframe(2)):
                return False
            if self._one_site:
                self.usual = self._highest
        value: Any = cpu_value(loss)
        if value is None:
            if not _on_device(loss):
                return False
            value = loss.detach().clone()  # stays on its device until the flush
        elif not _LOWEST < value <= self._highest:
            return False
        self.log += (self.site, value)
        self.last_loss = loss
        return True

    def _find_site(self, caller: FrameType) -> bool:
        frame = caller.f_back  # past `Tensor.backward`: mostly the user's own line
        if frame is not None and frame.f_code is self._code and frame.f_lasti == self._instruction:
            return True  # the same as last time
        for frame in (caller.f_back, user_frame(caller)):
            if frame is not None:
                site = self._sites.get((id(frame.f_code), frame.f_lasti))
                if site is not None:
                    self._code, self._instruction, self.site = frame.f_code, frame.f_lasti, site
                    return True
        return False

    def step(self, optimizer: Any, args: Any, kwargs: Any) -> bool:
        """Called before a step; the end of the step is not reported."""
        known = self._optimizers.get(id(optimizer))
        if known is None or len(args) > 1 or kwargs:
            return False  # somebody new, or a closure
        groups = optimizer.param_groups
        telling = known.telling.grad
        if telling is not None:
            value = cpu_value(telling)
            if value is not None and not _LOWEST < value < _TOP:
                return False
        moved = None
        # The very number that was there before needs no second look.
        if groups[0].get("lr") is not known.rates[0] or len(groups) > 1:
            found = rates_of(groups)
            if found != known.rates:
                moved = known.rates = found
            if self.only == id(optimizer):
                self.only, self.rate = (self.only, found[0]) if len(found) == 1 else (0, None)
        self.log += (known.number, moved)
        self.unasked -= 1
        if self.unasked <= 0:
            self._ask_whether_over()
        return True

    def _ask_whether_over(self) -> None:
        self._left -= self._stride
        self.over = self._left <= 0 or thread_time() >= self._until_own_time or perf_counter() >= self._until_time
        self._stride = self.unasked = min(2 * self._stride, CLOCK_EVERY, self._left)
        self.usual = _LOWEST  # of the next loss, it is asked where it comes from

    def batch(self, loader: Any, batch: Any) -> None:
        """`loader` is a weak reference, or None where nobody knows."""
        if len(self.log) > self._told_by_batch:
            self._told_by_batch, self._fresh_batches = len(self.log), 0
        self.delivered.append(loader)
        self._fresh_batches += 1
        self.last_labels = class_ids_in(batch)

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


def _first_group(optimizer: Any) -> list[Any]:
    """The parameters of its first group that has any: scripts leave groups empty."""
    return next((group["params"] for group in optimizer.param_groups if group["params"]), [])


def rates_of(groups: list[dict[str, Any]]) -> list[Any]:
    return [_number(group.get("lr")) for group in groups]


def _number(rate: Any) -> Any:
    """A learning rate kept in a tensor changes in place, so compare its value and not the tensor."""
    value = cpu_value(rate) if isinstance(rate, torch.Tensor) else None
    return rate if value is None else value


def _telling(parameters: list[Any]) -> Any:
    """The first parameter with a non-zero gradient element: reading that element shows when gradients are non-finite.

    Backpropagation ends at the first parameters. An embedding's first row or a dead unit has a zero gradient, which
    would show nothing.
    """
    ordinary = [parameter for parameter in parameters if usual(parameter)]
    for parameter in ordinary[:FEW]:
        if parameter.grad is not None and cpu_value(parameter.grad):
            return parameter
    return ordinary[0]


def _on_device(loss: Any) -> bool:
    return isinstance(loss, torch.Tensor) and not loss.is_cpu


def bad_gradient(optimizer: Any) -> Any:
    """A parameter whose gradient is non-finite, judged by one element.

    Checks the parameter from `_telling` and the last one, because a dead unit between them can stop a non-finite
    gradient.
    """
    parameters = [parameter for parameter in _first_group(optimizer) if usual(parameter)]
    for parameter in (_telling(parameters), parameters[-1]) if parameters else ():
        gradient = parameter.grad
        if gradient is not None:
            value = cpu_value(gradient)
            if value is not None and not -math.inf < value < math.inf:
                return parameter
    return None
