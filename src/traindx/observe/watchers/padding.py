"""Padding among the targets of cross-entropies, and whether the loss counts it.

Targets are often flattened before the loss gets them. Their rows are then known from the tensor that they are a view
of, from the scores before these were flattened, or from the inputs of the same step.
"""

from __future__ import annotations

import math
import sys
import weakref
from typing import Any

import torch

from ...record.losses import OVER_CLASSES
from ..padded_rows import FEWEST_ROWS, SHORTEST, PaddingTally, alike, measure_rows
from ..session import Session
from ..sites import describe, instruction, user_frame
from ..tensors import plain, tensors_in
from .loss_inputs import given_pair

ORDER = 16

LOOKS = 16  # at one call of a loss
CALLS = 8  # calls of losses that are followed
# Arguments after input and target, in the order of the functions' signatures.
SIGNATURE = ("weight", "size_average", "ignore_index", "reduce", "reduction")


class _Call:
    """One line that calls a loss."""

    def __init__(self, site: dict[str, Any] | None, ignored: int) -> None:
        self.site = site
        self.ignored = ignored
        self.looks = 0
        self.by_rows, self.by_columns = PaddingTally(), PaddingTally()
        self.weights: list[float] | None = None  # of the classes, relative to their mean

    def fact(self) -> dict[str, Any]:
        found = self.by_rows.found() or self.by_columns.found()
        if found is None:
            return {"id": None, "share": 0.0, "counted": 0.0, "site": self.site}
        filler, share = found
        return {"id": filler, "share": share, "counted": self._counted(filler), "site": self.site}

    def _counted(self, filler: int) -> float:
        if filler == self.ignored:
            return 0.0
        if self.weights is None:
            return 1.0
        weight = self.weights[filler] if 0 <= filler < len(self.weights) else 0.0
        return min(1.0, weight) if math.isfinite(weight) else 0.0


class Watcher:
    name = "padding"
    ONLY_ON_LOOKS = frozenset({"forward_begin", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls: dict[Any, _Call] = {}
        self._running: list[weakref.ref[Any]] = []  # inputs of the model that was called last, which may still run

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if self.session.has_parameters(root):
            self._running = [weakref.ref(tensor) for tensor in tensors_in((args, kwargs))]

    @torch.no_grad()
    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        session = self.session
        if name not in OVER_CLASSES or not value.requires_grad or session.evaluating or not session.light:
            return
        settings = _settings(given)
        scores, target = given_pair(name, given)
        if settings is None or not plain(scores) or not plain(target) or target.is_floating_point():
            return
        inputs = self._inputs(target)
        rows = _rows_of(scores, target, inputs)
        if rows is None:
            return
        frame = user_frame(sys._getframe(2))
        key = (name, instruction(frame))
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= CALLS:
                return
            call = self._calls[key] = _Call(describe(frame), settings["ignore_index"])
        call.looks += 1
        if call.looks > LOOKS:
            return
        weight = settings["weight"]
        if weight is not None and call.looks == 1:
            relative = weight.detach().float() / weight.detach().float().mean()
            session.metrics.later(relative, lambda values: setattr(call, "weights", values))
        for oriented, tally in ((rows, call.by_rows), (rows.T, call.by_columns)):
            if oriented.shape[1] >= SHORTEST:
                given_alike = [fit for tensor in inputs if (fit := _fitting(tensor, oriented.shape)) is not None]
                session.metrics.later(measure_rows(oriented, given_alike), tally.add)

    def _inputs(self, target: Any) -> list[Any]:
        """What models were given in this step, on the device of the targets."""
        tensors = [tensor for ref in self._running if (tensor := ref()) is not None]
        tensors += list(tensors_in(self.session.given))
        kept = {id(t): t for t in tensors if t.dim() in (2, 3) and plain(t) and t.device == target.device}
        return list(kept.values())

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        self._running = []

    def flush(self) -> None:
        seen = [call for call in list(self._calls.values()) if call.by_rows.rows >= FEWEST_ROWS]
        if seen:
            facts = [call.fact() for call in seen]
            self.session.writer.fact("padding", max(facts, key=lambda f: (f["share"] * f["counted"], f["share"])))

    finish = flush


def _settings(given: Any) -> dict[str, Any] | None:
    """The arguments that decide what the loss counts; None where the loss is not reduced, so the script may mask it."""
    args, kwargs = given
    settings = {"weight": None, "ignore_index": -100, "reduction": "mean"}
    settings |= dict(zip(SIGNATURE, args[2:], strict=False)) | {k: v for k, v in kwargs.items() if k in SIGNATURE}
    if settings.get("size_average") is not None or settings.get("reduce") is not None:
        return None
    weight = settings["weight"]
    if weight is not None and not plain(weight):
        return None
    return settings if settings["reduction"] in ("mean", "sum") else None


def _rows_of(scores: Any, target: Any, inputs: list[Any]) -> Any | None:
    """The targets as rows (or columns) of sequences, where that is known; images and single labels have none."""
    if target.dim() == 2:
        return target.detach() if scores.dim() == 3 and target.shape[1] >= SHORTEST else None
    if target.dim() != 1 or scores.dim() != 2:
        return None
    count = target.numel()
    for rows, size in _shapes(scores, target, inputs):
        if rows > 1 and size > 1 and rows * size == count:
            return target.detach().reshape(rows, size)
    return None


def _shapes(scores: Any, target: Any, inputs: list[Any]) -> list[tuple[int, int]]:
    base = target._base
    if base is not None and target.is_contiguous() and base.is_contiguous() and base.dim() > 1:
        # A part of the rows of the tensor that was flattened. One with more axes is an image.
        width = base.shape[1]
        whole_rows = (target.storage_offset() - base.storage_offset()) % width == 0
        return [(target.numel() // width, width)] if base.dim() == 2 and whole_rows else []
    # What a view was made of stands in the graph: (batch, time, classes) before it was flattened.
    before = tuple(getattr(scores.grad_fn, "_saved_self_sym_sizes", ()))
    if len(before) > 2 and before[-1] == scores.shape[1]:
        return [(before[0], before[1])] if len(before) == 3 else []
    of_inputs = [t.shape for t in inputs if t.dim() == 2 and not t.is_floating_point()]
    return [shape for rows, size in of_inputs for shape in ((rows, size), (rows, size - 1), (rows - 1, size))]


def _fitting(tensor: Any, shape: Any) -> Any | None:
    """The input, turned where it lies the other way, if it has an entry for each position of the rows."""
    for given in (tensor, tensor.transpose(0, 1)):
        if alike(given, tuple(shape)):
            return given
    return None
