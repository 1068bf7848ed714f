"""Which forwards were trained on, and what models and losses were given in the current step."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import nodes
from ..held_out import Source
from ..session import Session
from ..tensors import local, tensors_in
from .loss_inputs import given_pair

# ── those that a backward went through ────────────────────────────────────────────────────────────
#
# A forward whose output requires a gradient may still be part of an evaluation: many scripts call `eval()` and leave
# out `no_grad()`. Only the graph of the loss that is backpropagated tells.

MAX_PENDING = 64  # forwards that wait for their backward
MAX_NODES = 5000  # of a loss's graph that are searched for them
LONE = 3  # backwards through one forward, from which on that is how this program trains
MOST_DOUBLED = 64  # stretches on the fast path that a second forward may end


@dataclass
class Forward:
    """A call of a model with gradients."""

    root: weakref.ref[Any]
    in_train_mode: bool
    step: int
    backwards: int  # that were seen before it
    sequence: int  # torch's number of the operation that made the output
    evaluated: bool = False  # it was taken for an evaluation's
    source: Source | None = None  # of what it was given
    scored: bool = False  # a loss was computed from it
    layers_in_train_mode: bool = False  # of those that behave differently in evaluation
    dropped: bool = False
    site: dict[str, Any] | None = None


class TrainedForwards:
    name = "trained forwards"
    AFTER = ()
    EVERY_RANK = True

    def __init__(self, session: Session) -> None:
        self.session = session
        self._pending: list[Forward] = []
        self._backwards = 0
        self._begun_fast = False  # the present step's forward was on the fast path, which its backward no longer is
        self._without_gradients = False  # the last model was called under `no_grad()`
        self._trained_roots: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lone: float = 0  # backwards that went through one forward, made since the backward before
        self._doubled = 0
        self._doubtful: Source | None = None  # a forward on the fast path that another one followed

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        self.session.hooks.held_out.deliver(loader, batch)

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        session = self.session
        if session.has_parameters(root):
            session.calls_since_backward += 1
            session.unsettled_forward = None
            self._without_gradients = not torch.is_grad_enabled()
            hooks = session.hooks
            evaluating = self._without_gradients or (not root.training and hooks.modes_switch)
            session.evaluating = evaluating or (bool(hooks.held_out) and hooks.given_held_out(args, kwargs))
            hooks.evaluating = session.evaluating
            if session.evaluating and (not self._without_gradients or root in self._trained_roots):
                hooks.end_fast_steps()  # its loss may look like one of training: computed with gradients enabled
        session.last_forward = None

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if not torch.is_grad_enabled() or not self.session.has_parameters(root):
            return
        made = [t.grad_fn for t in tensors_in(output) if t.grad_fn is not None]
        if not made:
            return
        number = max(node._sequence_nr() for node in made)
        forward = Forward(weakref.ref(root), root.training, self.session.step, self._backwards, number)
        forward.evaluated = self.session.evaluating
        forward.source = self.session.hooks.held_out.source_of(args, kwargs)
        self.session.last_forward = self.session.unsettled_forward = forward
        self._pending.append(forward)
        if len(self._pending) > MAX_PENDING:
            self._note_untrained(self._pending.pop(0))

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if not value.requires_grad:
            return
        if self._pending:
            self._pending[-1].scored = True
        if self._without_gradients and (self._pending or self._begun_fast):
            # A target was computed in passing, by a teacher for instance; what follows is training again.
            self.session.evaluating = self.session.hooks.evaluating = False

    def scalar_read(self, tensor: Any, value: float) -> None:
        self._note_scored()

    def compared(self, one: Any, other: Any) -> None:
        self._note_scored()

    def _note_scored(self) -> None:
        """An evaluation with gradients may be scored by hand."""
        if self.session.unsettled_forward is not None and self.session.evaluating:
            self.session.unsettled_forward.scored = True

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        self.session.evaluating = self.session.hooks.evaluating = False  # an evaluation within a step is over by now
        self.session.calls_since_backward = 0
        self.session.unsettled_forward = None
        doubtful, self._doubtful = self._doubtful, None
        pending = self._pending
        if pending:
            reached = _reached(loss, pending, complete=doubtful is None and not self._begun_fast)
            trained = [forward for forward in pending if forward.sequence in reached]
            for forward in trained:
                self._note_trained(forward)
            if trained and not self._begun_fast:
                alone = len(trained) == 1 and trained[0].backwards == self._backwards
                self._lone = self._lone + 1 if alone else -math.inf
            elif doubtful and trained:
                self.session.hooks.held_out.note_untrained(doubtful, self._backwards)
            lone = self._lone >= LONE
            self.session.lone_forwards = lone and self._doubled < MOST_DOUBLED
            # A generator's forward is reached by the backward after the next one: others have had their chance.
            late = self._backwards - (0 if lone else 2 * max(1, len(self.session.optimizers)))
            rest = [forward for forward in pending if forward.sequence not in reached]
            for forward in [f for f in rest if f.backwards <= late]:
                self._note_untrained(forward)
            self._pending = [f for f in rest if f.backwards > late]
        self._begun_fast = False
        self._backwards += 1

    def _note_untrained(self, forward: Forward) -> None:
        if self._lone >= LONE:
            self.session.hooks.held_out.note_untrained(forward.source, self._backwards)
        self.session.hooks.relay("forward_untrained", forward)

    def _note_trained(self, forward: Forward) -> None:
        session = self.session
        session.hooks.held_out.note_trained(forward.source)
        root = forward.root()
        if root is not None:
            self._trained_roots.add(root)
        if forward.in_train_mode and not session.trained_in_eval_mode:
            session.hooks.modes_switch = True
        elif not forward.in_train_mode:
            session.trained_in_eval_mode = True
            session.hooks.modes_switch = session.hooks.evaluating = session.evaluating = False
        session.hooks.relay("forward_trained", forward)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.backwards:
            self._pending = []
            self._backwards += fast.backwards
        self._begun_fast = fast.last_call is not None
        self._doubtful = None
        if fast.doubled is not None:
            self._doubled += 1
            self._doubtful = fast.doubled

    def finish(self) -> None:
        for forward in self._pending:
            self.session.hooks.relay("forward_untrained", forward)


def _reached(loss: Any, pending: list[Forward], complete: bool) -> set[int]:
    """The numbers of those forwards that the loss's graph goes through. `complete`: no others wait for a backward."""
    if complete and len(pending) == 1 and pending[0].in_train_mode:
        return {pending[0].sequence}  # the only candidate
    wanted = {forward.sequence for forward in pending}
    found: set[int] = set()
    for node in nodes(loss, MAX_NODES):
        number = node._sequence_nr()
        if number in wanted:
            found.add(number)
            if found == wanted:
                break
    return found


# ── arguments of the current step ─────────────────────────────────────────────────────────────────
#
# A temporary, as in `model(x[rows])`, would be freed after the forward. Arguments are kept until backward ends; the
# graph, which holds most of them anyway, is freed then too.

MAX_CALLS = 4


class StepInputs:
    name = "step inputs"
    AFTER = ("trained forwards",)

    def __init__(self, session: Session) -> None:
        self.session = session

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if torch.is_grad_enabled() and not self.session.evaluating and self.session.has_parameters(root):
            self._keep(args, kwargs)

    def _keep(self, args: Any, kwargs: Any) -> None:
        # What the script handed over (a parameter, a batch of its own class) may go when it goes; the result of
        # `detach` would hold it.
        given = [tensor.data for tensor in tensors_in((args, kwargs))]
        self.session.given = [*self.session.given[1 - MAX_CALLS :], given]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        target = given_pair(name, given)[1]
        if value.requires_grad and not self.session.evaluating and local(target):
            self.session.target = weakref.ref(target)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.last_call is not None:
            self.session.given = []
            self._keep(*fast.last_call[1:])
        if local(fast.last_target):
            self.session.target = weakref.ref(fast.last_target)

    def backward_end(self, loss: Any, seconds: float) -> None:
        self.session.given = []
