"""Knows what one update is, in any style of loop, counts updates, and plans the next look.

An update is an optimizer's step; with a closure (LBFGS, Lightning) forward and backward run inside it. Where the
script has no optimizer, or never steps it, the stretch from one backward to the next stands for an update.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any

from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import leaves
from ..session import Session
from ..sites import user_frame
from ..tensors import readable

ORDER = 100  # after every other watcher: they still see the step that is ending
EVERY_RANK = True  # see recording.RankRecording

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


class Watcher:
    name = "updates"

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
        self.flush()
        if self.session.backwards and self.session.optimizers and not self._stepped:
            self.session.writer.event("backward-without-step", self.session.step, backwards=self.session.backwards)
