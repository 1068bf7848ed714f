"""Knows what one update is, in any style of loop, counts updates, and plans the next look.

An update is an optimizer's step; with a closure (LBFGS, Lightning) forward and backward run inside it. Where the
script has no optimizer, or never steps it, the stretch from one backward to the next stands for an update.
"""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import leaves
from ..hook_points.compilers import Compiled
from ..metric_queue import cpu_value
from ..session import Session
from ..sites import user_frame
from ..tensors import readable, tensors_in
from . import EVERYBODY
from .optimizers import gradient_empty

# Seconds between steps that are observed in full without a look: enough for timing and counts. It is the thread's CPU
# time, or on a busy machine observation would take a larger share of the training.
OBSERVED_EVERY = 0.2
# In wall time it may take this many times as long: the thread has to wait for others, or for an accelerator.
WAITING = 10
# Seconds until the clock is first read in a fast stretch, if steps go on as fast as in the last one.
SOON = 0.005

# After this many backwards without a step, the script is not accumulating: it never steps.
NEVER_STEPS = 50


@dataclass
class Update:
    """One update of some parameters. `index` is the optimizer's number; -1 where there is none."""

    index: int
    optimizer: Any
    params: list[Any]


class Updates:
    name = "updates"
    AFTER = EVERYBODY
    EVERY_RANK = True

    def __init__(self, session: Session) -> None:
        self.session = session
        self._backwards_since_step = 0
        self._forwards = 0
        self._stepped = False
        self._open = False  # an update that no optimizer announces is going on
        self._loose: list[weakref.ref[Any]] = []  # the tensors that it is about
        self._observed = 0.0  # when a step was last observed in full, in the thread's own time
        self._planned = 0.0  # when the last step, or the last fast stretch, ended
        self._quick = 1  # steps that took `SOON` in the last fast stretch

    # ── updates that optimizers make ────────────────────────────────────────────────────────────

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        self._open = False
        if not self.session.light:
            return
        update = self._update_of(optimizer)
        self._timed("weights_before", update)
        if not closure:
            self._timed("gradients_ready", update)

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        if self.session.light:
            update = self._update_of(optimizer)
            if closure:
                self._timed("gradients_ready", update)
            self._timed("weights_after", update)
        self._backwards_since_step = 0
        self._stepped = True
        self._advance()

    def step_unseen(self, optimizer: Any, loss: Any, seconds: float) -> None:
        self._open = False
        if not self._backwards_since_step:
            self.session.backwards += 1  # unseen as well
        self._backwards_since_step = 0
        self._stepped = True
        self._advance()

    def fast_steps_ended(self, fast: FastSteps) -> None:
        session = self.session
        session.backwards += fast.backwards
        session.step += fast.steps
        self._forwards += fast.backwards
        self._backwards_since_step = fast.backwards_since_step + (0 if fast.steps else self._backwards_since_step)
        if fast.steps:
            self._quick = int(fast.steps * SOON / max(perf_counter() - self._planned, 1e-9))
            if not fast.within_a_step:
                self._plan()

    def _update_of(self, optimizer: Any) -> Update:
        params = [p for group in optimizer.param_groups for p in group["params"] if readable(p)]
        return Update(self.session.optimizer_index(optimizer), optimizer, params)

    # ── updates that the script makes by hand ───────────────────────────────────────────────────

    def _by_hand(self) -> bool:
        if not self.session.optimizers:
            return True
        return self._backwards_since_step > NEVER_STEPS

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if self._open:
            if self.session.light:
                self._timed("weights_after", self._by_hand_update())
            self._open = False
            self._advance()
        if self.session.light and self._by_hand():
            found = list(leaves(loss))
            self.session.naming.name_loose(found, user_frame(frame))
            self._loose = [weakref.ref(leaf) for leaf in found]

    def backward_end(self, loss: Any, seconds: float) -> None:
        if not self.session.backwards and math.isfinite(self.session.hooks.save_due):
            self.session.hooks.save_due = 0.0  # at once: the script may hang or be killed before anything else happens
        self.session.backwards += 1
        self._backwards_since_step += 1
        if self._by_hand():
            self._open = True
            if self.session.light:
                update = self._by_hand_update()
                self._timed("gradients_ready", update)
                self._timed("weights_before", update)

    def _by_hand_update(self) -> Update:
        return Update(-1, None, [p for ref in self._loose if (p := ref()) is not None and readable(p)])

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        self._forwards += 1

    # ── the count ───────────────────────────────────────────────────────────────────────────────

    def _timed(self, moment: str, update: Update) -> None:
        self.session.hooks.relay(moment, update)

    def _advance(self) -> None:
        self.session.naming.in_use = True
        self.session.step += 1
        self._plan()

    def _plan(self) -> None:
        session = self.session
        session.look = session.schedule.plan(session.step, max(1, len(session.optimizers)))
        hooks = session.hooks
        hooks.looking = session.light
        now, own = perf_counter(), thread_time()
        fast, self._planned = now < self._planned + OBSERVED_EVERY, now
        left = min(OBSERVED_EVERY, self._observed + OBSERVED_EVERY - own)  # another thread has another time
        if (
            not session.light
            and fast
            and left > 0
            and self._stepped  # a script that updates by hand is followed backward by backward
            and not hooks.inside  # in the middle of a backward, parameter by parameter
            and hooks.driver is None
            and hooks.fast_allowed
        ):
            due = session.schedule.next_due(session.step)
            hooks.begin_fast_steps(FastSteps(session, due, left, WAITING * left, stride=self._quick))
        else:
            self._observed = own

    def flush(self) -> None:
        session = self.session
        session.writer.fact("steps", session.step)
        session.writer.fact("backwards", session.backwards)
        session.writer.fact("forwards", self._forwards)

    def finish(self) -> None:
        if self._open:
            self.session.step += 1
        if self.session.backwards and self.session.optimizers and not self._stepped:
            self.session.writer.event("backward-without-step", self.session.step, backwards=self.session.backwards)


# ── updates without an optimizer: were gradients cleared in between? ──────────────────────────────

FOLLOWED = 8  # leaves that are followed: whoever forgets to clear one forgets all


class ManualUpdates:
    name = "manual updates"
    AFTER = ("optimizers",)

    def __init__(self, session: Session) -> None:
        self.session = session
        self._leaves: list[Any] = []  # of the loss that is being backpropagated
        self._before: list[tuple[weakref.ref[Any], int, float | None]] = []  # as backward left them
        self._followed = 0
        self._kept = 0

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        if session.optimizers:
            return
        known = [(leaf, *state) for ref, *state in self._before if (leaf := ref()) is not None]
        moved = [leaf for leaf, version, value in known if leaf._version != version or cpu_value(leaf) != value]
        if moved:
            self._followed += 1
            if not all(leaf.grad is None or gradient_empty(leaf.grad) for leaf in moved):
                self._kept += 1
                if self._kept == 1:
                    session.writer.event("grads-kept", session.step)
        self._before = []
        self._leaves = list(leaves(loss))[:FOLLOWED] if session.light else []

    def backward_end(self, loss: Any, seconds: float) -> None:
        # A change through `.data` leaves the version as it was, so a value is compared as well.
        self._before = [(weakref.ref(leaf), leaf._version, cpu_value(leaf)) for leaf in self._leaves]
        self._leaves = []

    def flush(self) -> None:
        if self._followed:
            self.session.writer.fact("by_hand", {"steps_heard": self._followed, "grads_kept": self._kept})


# ── compiled functions in which an optimizer steps: hooks do not see it, but the weights change ─────
#
# If the function is only the optimizer's step, it is reported like any other step. If it is a whole training step, only
# its loss is known, and only where the function returns it.

FEW = 4  # parameters that are asked


class CompiledFunctions:
    name = "compiled functions"
    AFTER = ("optimizers",)

    def __init__(self, session: Session) -> None:
        self.session = session
        self._backpropagated = False  # a backward was seen since the last step
        self._steps_alone: dict[int, tuple[Compiled, weakref.ref[Any]]] = {}  # functions that are an optimizer's step
        self._stepping: Any = None  # the optimizer whose step is going on
        self._observed: set[int] = (
            set()
        )  # optimizers whose steps are observed: other changes of their weights are no steps
        self._before: list[tuple[Any, list[Any]]] = []

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._backpropagated = True

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        if optimizer is not self._stepping:
            self._observed.add(self.session.optimizer_index(optimizer))

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        self._backpropagated = False

    def fast_steps_ended(self, fast: FastSteps) -> None:
        self._backpropagated = fast.last_loss is not None

    def compiled_begin(self, function: Compiled) -> None:
        known = self._steps_alone.get(id(function))
        self._stepping = known[1]() if known is not None and self._backpropagated else None
        if self._stepping is not None:
            self.session.hooks.relay("step_begin", self._stepping, False)
        optimizers = [each for index, each in self.session.live_optimizers() if index not in self._observed]
        self._before = [(optimizer, _state(optimizer)) for optimizer in optimizers]

    def compiled_end(self, function: Compiled, result: Any, seconds: float) -> None:
        stepping, self._stepping = self._stepping, None
        before, self._before = self._before, []
        moved = [optimizer for optimizer, state in before if _state(optimizer) != state]
        for optimizer in moved:
            function.steps = True
            if optimizer is stepping:
                continue
            if self._backpropagated and len(moved) == 1:
                self._steps_alone[id(function)] = (function, weakref.ref(optimizer))
            else:
                self.session.not_visible(
                    f"{function.name}() is compiled and steps an optimizer: its gradients and layers are not visible"
                )
            self.session.hooks.relay(
                "step_unseen", optimizer, None if self._backpropagated else _loss_in(result), seconds
            )
            self._backpropagated = False
        if stepping is not None:
            self.session.hooks.relay("step_end", stepping, False, seconds)


def _state(optimizer: Any) -> list[Any]:
    """What changes when the optimizer steps. A compiled step may leave the tensor's version as it was."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]][:FEW]
    return [(parameter._version, cpu_value(parameter)) for parameter in parameters]


def _loss_in(result: Any) -> Any:
    """The only single number that a function returned, or None."""
    numbers = [
        t for t in tensors_in(result) if isinstance(t, torch.Tensor) and t.numel() == 1 and t.is_floating_point()
    ]
    return numbers[0] if len(numbers) == 1 else None
