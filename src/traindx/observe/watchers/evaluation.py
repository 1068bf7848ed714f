"""Evaluation passes: forwards without gradients, told apart from training by what happens, not by names."""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from ..baseline_loss import counted_terms
from ..evaluation_pass import EvaluationPass
from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import made_before
from ..metric_queue import cpu_value
from ..session import Session
from ..sites import call_path
from ..tensors import class_ids_in, plain, tensors_in
from .loss_inputs import AVERAGED, CLASSIFYING, given_pair, nothing_counts

FEWEST_READS = 3  # passes from which on one can tell which way a quantity goes


_Delivered = tuple[list["weakref.ref[Any]"], "weakref.ref[Any] | None"]


class _Score(NamedTuple):
    loss: Any
    hits: Any
    rows: int


class Watcher:
    name = "evaluation"
    AFTER = ("samples",)
    ONLY_ON_LOOKS = frozenset({"forward_end", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._pass: EvaluationPass | None = None
        self._others: dict[
            Hashable, EvaluationPass
        ] = {}  # other sets of the same evaluation, by the calls that led there
        self._unscored = (0, 0)  # forwards and their rows since the last loss
        self._sets: list[Any] = []
        self._loader: weakref.ref[Any] | None = None
        self._labels: weakref.ref[Any] | None = None
        # The last two batches, each with its labels: a loader may be one batch ahead of the model, as Accelerate's is.
        self._latest: _Delivered = ([], None)
        self._before: _Delivered = ([], None)
        self._output: weakref.ref[Any] | None = None
        self._scored_output = True
        self._rows = 0  # that went into it
        self._script_scores = False  # it calls a loss function in evaluations
        self._loss_modules: set[type] = set()  # without parameters, whose value is differentiated
        self._silent: _Score | None = None  # of an output that may be gone before it shows that no loss is called
        # What the training's cross entropy over class ids is given: the shape of one sample's scores.
        self._scores: tuple[int, ...] | None = None
        self._labels_are_targets: bool | None = None  # what is taken for the labels of a batch is what training aims at
        self._trained_mean: Any = None  # of a loss that the training step has computed and not yet reduced
        self._mean_is_loss = True  # such a mean is what backward gets: the script does not weigh what it averages
        self._passes = 0
        self._empty_passes = 0  # such as called a model on no samples
        self._taken_from_reads: list[tuple[float, float]] = []  # with the training loss at that time

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        self._score_silent_output()  # as long as its own labels are at hand
        self._loader = weakref.ref(loader) if loader is not None else None
        self._labels = class_ids_in(batch)
        self._before = self._latest
        self._latest = ([weakref.ref(tensor) for tensor in tensors_in(batch)], self._labels)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.delivered:
            self._loader = fast.delivered[-1]
            self._labels = fast.last_labels

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        found = list(tensors_in(output))
        evaluating = self.session.evaluating
        if not found or (not evaluating and any(t.requires_grad for t in found)):
            if found and found[0].numel() == 1 and not self.session.has_parameters(root):
                self._loss_modules.add(type(root))
            return
        if not self.session.has_parameters(root):
            # A loss module of the user's own: in training its value is what backward starts from, unlike a metric's.
            known = type(root) in self._loss_modules
            if known and found[0].numel() == 1 and self._pass is not None and not self._scored_output:
                self._add_loss(_value(found[0]), max(1, self._rows))
            return
        current = self._current()
        current.forwards += 1
        rows = next((t.shape[0] for t in tensors_in((args, kwargs)) if t.dim()), 1)
        current.rows += rows
        current.sizes |= {rows, found[0].numel()}
        self._rows = rows
        self._unscored = (self._unscored[0] + 1, self._unscored[1] + rows)
        self._score_silent_output()
        output = self._scores_among(found)
        self._output = weakref.ref(output)
        self._scored_output = False
        if _holds(self._before, tensors_in((args, kwargs))):
            self._labels = self._before[1]
        # `model(x).argmax(1)` keeps no output: it is scored at once, unless a loss function is about to do so.
        self._silent = None if self._script_scores else self._score_of(output)

    def _scores_among(self, outputs: list[Any]) -> Any:
        """The output that the training's loss takes for scores: a detector gives boxes beside them."""
        return next((tensor for tensor in outputs if tuple(tensor.shape[1:]) == self._scores), outputs[0])

    def _current(self) -> EvaluationPass:
        if self._pass is None:
            loader = self._loader() if self._loader is not None else None
            self._pass = EvaluationPass(self.session.data_set(loader) if loader is not None else None)
            self.session.hooks.scoring = True
        return self._pass

    @torch.no_grad()
    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        first, second = given_pair(name, given)
        if value.requires_grad and not self.session.evaluating:
            if name in CLASSIFYING and isinstance(second, torch.Tensor) and not second.is_floating_point():
                self._scores = tuple(first.shape[1:]) if isinstance(first, torch.Tensor) else None
                self._compare_labels(second)
            self._trained_mean = _value(value) if value.dim() else None
            return
        if self._pass is None or not plain(first) or not plain(second):
            return
        if nothing_counts(name, given, second):
            self._scored_output = True
            return
        if self._unscored[0] and self._pass.key is None:
            self._turn_to(call_path(sys._getframe(3)))
        self._unscored = (0, 0)
        rows = max(1, int(second.shape[0]) if second.dim() else 1)
        number = _value(value)
        if given[1].get("reduction") == "sum":
            number = number / _value(counted_terms(name, given, second))
        if value.dim():
            self._pass.unreduced = (self._pass.unreduced[0] + number * rows, self._pass.unreduced[1] + rows)
        else:
            self._add_loss(number, rows)
        self._score(name, first, second)
        self._scored_output = self._script_scores = True

    def _compare_labels(self, targets: Any) -> None:
        """A batch may hold further whole numbers, such as lengths: its labels are what the training's loss gets."""
        given: list[Any] = [ref() for _, ref in (self._latest, self._before) if ref is not None]
        known = [labels for labels in given if labels is not None and plain(labels) and labels.is_cpu]
        if known and plain(targets) and targets.is_cpu and self._labels_are_targets is not True:
            self._labels_are_targets = any(
                labels.shape == targets.shape and bool((labels == targets).all()) for labels in known
            )

    def _turn_to(self, path: Hashable) -> None:
        """Two sets that one evaluation goes through, without loaders, are told apart by the lines that score them."""
        current = self._pass
        if current is None or current.path in (None, path):
            if current is not None:
                current.path = path
            return
        other = self._others.pop(path, None) or EvaluationPass(None)
        other.path = path
        current.hand_over(other, *self._unscored)
        self._others[current.path] = current
        self._pass = other

    def forward_trained(self, forward: Any) -> None:
        # `train()` was forgotten after the last evaluation, and what seemed to be part of that is training.
        mistaken = forward.evaluated or not forward.in_train_mode
        if self._pass is not None and mistaken and self._pass.forwards and self._pass.last_loss:
            number, rows = self._pass.last_loss
            self._pass.loss_sum, self._pass.loss_rows = self._pass.loss_sum - number * rows, self._pass.loss_rows - rows
            self._pass.last_loss = None

    def _add_loss(self, number: Any, rows: int) -> None:
        if self._pass is not None:
            self._pass.last_loss = (number, rows)
            self._pass.loss_sum = self._pass.loss_sum + number * rows
            self._pass.loss_rows += rows

    def _score(self, name: str, scores: Any, labels: Any) -> None:
        current = self._pass
        if current is None or not self.session.schedule.affordable():
            return
        if name in CLASSIFYING and not labels.is_floating_point() and scores.dim() >= 2:
            answers = scores.argmax(dim=1)
            known = labels >= 0
            hits, rows = ((answers == labels) & known).sum(), known.sum()
        elif name.startswith("binary") and scores.shape == labels.shape:
            hits = ((scores > (0.0 if name.endswith("logits") else 0.5)) == (labels > 0.5)).sum()
            rows = torch.tensor(labels.numel(), device="cpu")
        else:
            return
        current.count(_value(hits), _value(rows))

    def _score_silent_output(self) -> None:
        """Counts the score of an output that met no loss function: the script computes only accuracy."""
        if self._scored_output or self._output is None or self._pass is None:
            return
        self._scored_output = True
        output, score = self._output(), self._silent
        if score is None and output is not None:
            score = self._score_of(output)
        self._script_scores &= output is not None
        if score is not None:
            self._add_loss(score.loss, score.rows)
            self._pass.count(score.hits, score.rows)

    @torch.no_grad()
    def _score_of(self, logits: Any) -> _Score | None:
        """Loss and hits of an output, by the labels of the batch."""
        known = tuple(logits.shape[1:]) == self._scores and self._labels_are_targets is not False
        labels = self._labels() if self._labels is not None and known else None
        if labels is None or logits.dim() != 2 or logits.shape[0] != labels.shape[0] or not labels.numel():
            return None
        if labels.device != logits.device or not self.session.schedule.affordable():
            return None
        labels = labels.long()
        highest, lowest = cpu_value(labels.max()), cpu_value(labels.min())
        if highest is None or lowest is None or highest >= logits.shape[1] or lowest < 0:
            return None
        loss = F.cross_entropy(logits.float(), labels)
        return _Score(_value(loss), _value((logits.argmax(dim=1) == labels).sum()), labels.numel())

    @torch.no_grad()
    def compared(self, one: Any, other: Any) -> None:
        """The script asks where two tensors agree: where there is one number for each row that went in, and nothing
        else is known of the evaluation, these are predictions and labels."""
        current = self._pass
        if current is None or self._scored_output or self._silent is not None or one.numel() != other.numel():
            return
        if one.numel() != self._rows or not (plain(one) and plain(other)) or not self.session.schedule.affordable():
            return
        if all(not t.is_floating_point() or bool((t == t.round()).all()) for t in (one, other)):
            if self._unscored[0] and current.key is None:  # a loss may be computed elsewhere, on other samples
                self._turn_to(call_path(sys._getframe(3)))
                current = self._current()
            self._unscored = (0, 0)
            self._scored_output = True
            alike = one == other if one.shape == other.shape else one.reshape(-1) == other.reshape(-1)
            current.count(_value(alike.sum()), one.numel())

    def scalar_read(self, tensor: Any, value: float) -> None:
        if self._pass is None or made_before(self.session.unsettled_forward, tensor):
            return
        if not self._scored_output:
            self._score_silent_output()
        if self._pass.loss_rows:
            return  # its loss is known
        place = (not torch.is_grad_enabled(), call_path(sys._getframe(3)))
        values = self._pass.read.setdefault(place, [])
        if len(values) < 100_000 and len(self._pass.read) < 100:
            values.append(value)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        mean, self._trained_mean = self._trained_mean, None
        if isinstance(mean, float) and self.session.last_loss is not None:
            self._mean_is_loss = math.isclose(mean, self.session.last_loss, rel_tol=AVERAGED)
        if self._pass is not None:
            self._close()

    def _close(self) -> None:
        self._score_silent_output()
        current, others = self._pass, list(self._others.values())
        self._pass, self._others = None, {}
        self.session.hooks.scoring = False
        self._output = None
        self._unscored = (0, 0)
        if current is None:
            return
        self._empty_passes += current.forwards > 0 and not current.rows and not others
        by_set: dict[Any, EvaluationPass] = {}
        for done in (*others, current):
            # Sets are told apart by their loader, or else by their size.
            key = done.key if done.key is not None else ("rows", done.rows)
            known = by_set.setdefault(key, done)
            if known is not done:
                known.add(done)
        found = [self._record(key, done) for key, done in by_set.items()]
        self._passes += any(found)

    def _record(self, key: Any, done: EvaluationPass) -> bool:
        loss = done.loss_sum / done.loss_rows if done.loss_rows else self._from_reads(done)
        if loss is None and done.unreduced[1] and self._mean_is_loss:
            loss = done.unreduced[0] / done.unreduced[1]
        if loss is None and not done.scored:
            return False
        if not done.loss_rows and isinstance(loss, float) and self.session.last_loss is not None:
            self._taken_from_reads.append((loss, self.session.last_loss))
        if key not in self._sets and len(self._sets) < 8:
            self._sets.append(key)
        number = self._sets.index(key) if key in self._sets else 0
        suffix = "" if number == 0 else f"/{number}"
        if loss is not None:
            self.session.metrics.scalar("loss/validation" + suffix, self.session.step, loss)
        if done.scored:
            self.session.metrics.scalar("accuracy/validation" + suffix, self.session.step, done.hits / done.hit_rows)
        return True

    def _from_reads(self, done: EvaluationPass) -> float | None:
        """A loss written by hand shows only as a scalar that the script reads, once a forward or once a pass.

        What is read at several places are several quantities: which of them is the loss cannot be told.
        """
        training = self.session.last_loss
        inside = [values for (evaluated, _), values in done.read.items() if evaluated]
        several = [
            values
            for values in inside or done.read.values()
            if not all(done.is_share(value) or (value > 1 and value == round(value)) for value in values)
        ]
        if len(several) != 1 or training is None:
            return None
        (values,) = several
        if not (len(values) / max(1, done.forwards) <= 1.01 or len(values) == 1):
            return None
        value = sum(values) / len(values)
        # An accuracy or a count is read the same way: only what is of the training loss's size is taken for a loss.
        if not math.isfinite(value):
            return value
        return value if training and 0.1 <= value / training <= 30 else None

    def flush(self) -> None:
        self.session.writer.fact("eval_passes", self._passes)
        if self._taken_from_reads:
            self.session.writer.fact("eval_losses_read", len(self._taken_from_reads))
        if self._empty_passes:
            self.session.writer.fact("eval_passes_empty", self._empty_passes)

    def finish(self) -> None:
        self._close()
        self._rename_passes_over_training_data()
        if self._reads_look_like_scores():
            self.session.metrics.drain()
            for number in range(len(self._sets)):
                suffix = "" if number == 0 else f"/{number}"
                self.session.writer.rename("loss/validation" + suffix, "read/validation" + suffix)

    def _reads_look_like_scores(self) -> bool:
        """Whether what was read lies in 0 to 1, as scores do, and does not go the way of the training loss."""
        read = self._taken_from_reads
        if not read or not all(0 <= value <= 1 for value, _ in read):
            return False
        values, losses = np.array(read).T
        if len(read) < FEWEST_READS or np.ptp(values) == 0 or np.ptp(losses) == 0:
            return True
        return float(np.corrcoef(values, losses)[0, 1]) <= 0

    def _rename_passes_over_training_data(self) -> None:
        """Which data an evaluation runs over is known only late, so series get their final names at the end."""
        number = 0
        for old, key in enumerate(self._sets):
            trained = key in self.session.training_data_sets
            new = "/training_data" if trained else "" if number == 0 else f"/{number}"
            number += not trained
            for quantity in ("loss/validation", "accuracy/validation"):
                was = quantity + ("" if old == 0 else f"/{old}")
                if was != quantity + new:
                    self.session.metrics.drain()
                    self.session.writer.rename(was, quantity + new)


def _holds(delivered: _Delivered, inputs: Iterable[Any]) -> bool:
    """Whether one of the inputs is a tensor of this batch."""
    members = [tensor for reference in delivered[0] if (tensor := reference()) is not None]
    return any(tensor is member for tensor in inputs for member in members)


def _value(tensor: Any) -> Any:
    """A float where that is free, else a detached copy."""
    number = cpu_value(tensor) if tensor.numel() == 1 else None
    if number is not None:
        return number
    mean = tensor.detach().float().mean()
    number = cpu_value(mean)
    return mean if number is None else number
