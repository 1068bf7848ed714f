"""What the watchers of one run share: the step count, the schedule, the names of parameters, the way to the record."""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch

from ..record.writer import RecordWriter
from .hook_points.hooks import HookPoints
from .metric_queue import MetricQueue
from .model_walk import Naming, parameters
from .schedule import DEEP, LIGHT, Schedule
from .tensors import readable


class Session:
    """One observed run. Watchers read `step` and `look`, and write through `metrics` and `writer`."""

    def __init__(self, writer: RecordWriter, hooks: HookPoints, share: float) -> None:
        self.writer = writer
        self.hooks = hooks
        self.schedule = Schedule(share)
        hooks.charge = self._charge
        self.metrics = MetricQueue(writer)
        self.naming = Naming()
        self.step = 0  # updates of the weights so far, over all optimizers
        self.backwards = 0
        self.look = DEEP
        self.optimizers: list[weakref.ref[Any]] = []
        self._held: list[tuple[Any, ...]] = []  # class and parameters of each, to recognise its successor
        self._made_at: dict[int, int] = {}  # by identity: the step before which an optimizer was made
        self.stepped_at: dict[int, int] = {}  # by number: its last step that was observed
        self.have_stepped: set[int] = set()  # which of them have stepped
        self.last_loss: float | None = None
        self.given: list[Any] = []  # the tensors given to the forwards since the last backward
        self.target: weakref.ref[Any] | None = None  # what the last loss function was given to compare with
        self.loss_level = (math.nan, 0.0)  # running level and spread of the training loss
        # Where backward is called: code and line, numbered by the identity of the code (its hash is expensive) and the
        # instruction in it. As long as the code is kept, no other one takes its identity.
        self.backward_places: list[tuple[Any, int]] = []
        self.backward_sites: dict[tuple[int, int], int] = {}
        # What is going on: set when a model is called (see watchers/forwards.py).
        self.evaluating = False
        self.last_forward: Any = None
        self.unsettled_forward: Any = None  # the last one of a model, with gradients: trained on, or evaluated?
        self.trained_in_eval_mode = False
        self.lone_forwards = False  # each backward goes through one forward of a model: another one is no training
        self.calls_since_backward = 0  # of models, with gradients or without
        self.in_job = False  # this process has joined others (torch.distributed)
        self.nonfinite = False  # a loss was not finite, or was refused for that
        self.risky_operation: dict[str, Any] | None = None  # an operation at a point where its gradient is infinite
        self.training_data_sets: set[Any] = set()  # whose evaluation passes run over training samples
        self.output_modules: dict[int, str] = {}  # by identity of a model: the module that makes its output
        self.loose: list[weakref.ref[Any]] = []  # tensors outside any module that the loss depends on
        # Identities of tensors in the graphs of the first steps: those that products took as weights, and the others.
        self.factors: set[int] = set()
        self.no_factors: set[int] = set()
        self.moved: dict[str, bool] = {}  # has an update ever changed this parameter?
        self._in_place_since: dict[str, int] = {}  # steps at which a parameter took another one's place
        self._noted: set[str] = set()
        self._with_parameters: dict[int, weakref.ref[Any]] = {}
        self._data_sets: list[tuple[Callable[[], Any], tuple[Any, ...]]] = []
        self._not_visible: list[str] = []

    def _charge(self, seconds: float, of_look: bool) -> None:
        # Observing an evaluation costs time too, but says nothing about the cost of the next look.
        self.schedule.charge(seconds, of_look=of_look and torch.is_grad_enabled())

    @property
    def deep(self) -> bool:
        return self.look == DEEP

    @property
    def light(self) -> bool:
        """At least a light look."""
        return self.look >= LIGHT

    def optimizer_index(self, optimizer: Any) -> int:
        for index, known in enumerate(self.optimizers):
            if known() is optimizer:
                return index
        return self._successor(optimizer)

    def _successor(self, optimizer: Any) -> int:
        """A number for a new optimizer. Some scripts create a new one each epoch: it gets the number of an optimizer
        with the same parameters that is gone or idle, or it would look like a second one beside an idle first."""
        kind = _kind_of(optimizer)
        made = self._made_at.get(id(optimizer), self.step)
        for index, known in enumerate(self.optimizers):
            other = known()
            idle = index in self.have_stepped and self.stepped_at.get(index, 0) < made
            if _alike(self._held[index], kind) and (other is None or idle):
                self.optimizers[index] = weakref.ref(optimizer)
                return index
        self.optimizers.append(weakref.ref(optimizer))
        self._held.append(kind)
        return len(self.optimizers) - 1

    def may_replace(self, optimizer: Any) -> bool:
        """Whether there is one like it, which it may be about to replace: `optimizer = Adam(...)` in a loop."""
        self._made_at[id(optimizer)] = self.step
        kind = _kind_of(optimizer)
        known = zip(self.optimizers, self._held, strict=True)
        return any(ref() is not optimizer and _alike(held, kind) for ref, held in known)

    def has_parameters(self, root: Any) -> bool:
        """Asked at every forward, so a yes is remembered. A model of Keras has none until its first call builds it."""
        known = self._with_parameters.get(id(root))
        if known is not None and known() is root:
            return True
        found = next(parameters(root), None) is not None
        if found:
            self._with_parameters[id(root)] = weakref.ref(root)
        return found

    def data_set(self, loader: Any) -> int:
        """A number for what a loader runs over: some frameworks make the loader, even the data, anew for each pass."""
        data = getattr(loader, "dataset", loader)
        for number, (known, _) in enumerate(self._data_sets):
            if known() is data:
                return number
        kind: tuple[Any, ...] = (type(data), self.hooks.lengths.of(data))
        try:
            reference: Callable[[], Any] = weakref.ref(data)
        except TypeError:  # a list
            kind, reference = (*kind, id(data)), lambda: None
        for number, (known, known_kind) in enumerate(self._data_sets):
            if known() is None and known_kind == kind:
                self._data_sets[number] = (reference, kind)
                return number
        self._data_sets.append((reference, kind))
        return len(self._data_sets) - 1

    def live_optimizers(self) -> list[tuple[int, Any]]:
        return [(i, o) for i, ref in enumerate(self.optimizers) if (o := ref()) is not None]

    def stray_parameters(self) -> list[Any]:
        """Parameters that no optimizer holds: of the models, and loose ones that the loss depends on."""
        held = {id(p) for _, o in self.live_optimizers() for g in o.param_groups for p in g["params"]}
        found = [p for _, root in self.naming.roots() for p in parameters(root)]
        found += [tensor for ref in self.loose if (tensor := ref()) is not None]
        # A model without weights of its own (on the device "meta") lends its layers to weights from elsewhere.
        return list({id(p): p for p in found if id(p) not in held and readable(p)}.values())

    def note_moved(self, step: int, names: list[str], sizes: list[float]) -> None:
        """Sizes of updates, which arrive late from an accelerator; those of a replaced parameter are ignored."""
        for name, size in zip(names, sizes, strict=True):
            if step >= self._in_place_since.get(name, 0):
                self.moved[name] = self.moved.get(name, False) or size != 0.0

    def replaced(self, name: str) -> None:
        """Another parameter has taken this name."""
        self.naming.refresh()
        self.moved.pop(name, None)
        self._in_place_since[name] = self.step

    def once(self, key: str) -> bool:
        """True the first time."""
        if key in self._noted:
            return False
        self._noted.add(key)
        return True

    def not_visible(self, sentence: str) -> None:
        """Note something that could not be observed, for the record and the report."""
        if self.once("not-visible:" + sentence):
            self._not_visible.append(sentence)
            self.writer.fact("not_visible", self._not_visible)

    def say(self, line: str) -> None:
        """One line to the person watching, on stderr: stdout is the script's."""
        with suppress(Exception):  # the script may have closed stderr
            print(f"traindx: {line}", file=sys.stderr, flush=True)


def _kind_of(optimizer: Any) -> tuple[Any, ...]:
    """Its class, how many parameters it holds, and the first of them (all weak references to one object are one)."""
    held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    return type(optimizer), len(held), weakref.ref(held[0]) if held else None


def _alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return one[:2] == other[:2] and one[2] is not None and one[2] is other[2]
