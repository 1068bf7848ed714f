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

from ...record.program import OVER_CLASSES
from ..session import Session
from ..sites import describe, instruction, user_frame
from ..tensors import plain, tensors_in
from .loss_inputs import given_pair

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
    AFTER = ("handwritten losses",)
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
                session.metrics.later(measure_rows(oriented, given_alike, call.ignored), tally.add)

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


# ── rows of class ids that one id fills up to a common length ─────────────────────────────────────
#
# The filler is an id that occurs at the ends of rows and nowhere else. That alone does not make it padding: a label
# such as "after the event" ends rows as well, a model with a fixed number of slots has to predict the empty ones, and a
# decoder has to learn where to stop, if only from the first filler. It is padding where the inputs at all these
# positions (or at all but the first, in a language model) are constant too, or where one id (end of sequence) precedes
# it in all rows.

SHORTEST = 3  # positions of a row
MOST_ROWS = 256
MOST_ELEMENTS = 1 << 16
FEATURES = 8  # of the inputs at a position that are compared
FEWEST_ROWS = 8
FEWEST_LENGTHS = 3
PADDED_ROWS = 0.5  # the share of the rows that must end in the filler
CONFIRMED = 0.75  # the share of the looks at which inputs or an end mark must agree


def measure_rows(rows: Any, inputs: list[Any], ignored: int) -> Any:
    """Numbers for `PaddingTally.add`: eight about the batch, then the length of each row without its filler.

    `rows` has one sequence a row; `inputs` are what the model was given in the same step, of any shape. Rows end where
    the loss ignores all that follows in every row, as behind targets that were shifted by one. No size depends on
    values, so an accelerator is not waited for.
    """
    count = max(FEWEST_ROWS, min(MOST_ROWS, MOST_ELEMENTS // rows.shape[1]))
    rows = rows[:count]
    positions = torch.arange(rows.shape[1], device=rows.device)
    size = ((positions + 1) * (rows != ignored).any(0)).amax().clamp_min(1)
    last = rows.index_select(1, size.reshape(1) - 1)[:, 0]
    filler = last[(last[:, None] == last[None, :]).sum(1).argmax()]
    within = positions < size
    is_filler = (rows == filler) & within
    lengths = ((positions + 1) * (within & ~is_filler)).amax(1)
    trailing = within & (positions >= lengths[:, None])
    outside = is_filler.sum() - trailing.sum()
    further = within & (positions > lengths[:, None])  # past the first filler, which may be where a decoder stops
    given_here = [given[:count, : rows.shape[1]] for given in inputs]
    constant = [torch.stack([_constant(given, where, within) for where in (trailing, further)]) for given in given_here]
    facts = [
        filler,
        size,
        is_filler.sum(),
        size * len(rows),
        outside,
        _end_marked(rows, last, lengths, size),
        *(torch.stack(constant).any(0) if constant else (0, 0)),
    ]
    header = torch.stack([torch.as_tensor(fact, device=rows.device).long() for fact in facts])
    return torch.cat([header, lengths])


def _constant(given: Any, where: Any, within: Any) -> Any:
    """Whether the inputs are the same at all these positions, and different elsewhere in the rows."""
    given = given.reshape(*where.shape, -1)[..., :FEATURES].double()
    there = where[..., None]
    low = given.masked_fill(~there, torch.inf).amin((0, 1))
    high = given.masked_fill(~there, -torch.inf).amax((0, 1))
    return (low == high).all() & ~((given == low).all(-1) & within & ~where).any()


def _end_marked(rows: Any, last: Any, lengths: Any, size: int) -> Any:
    """Whether one id precedes the filler in every row that has some, and occurs nowhere but at the ends."""
    padded = (lengths > 0) & (lengths < size)
    before = rows.gather(1, (lengths - 1).clamp_min(0)[:, None])[:, 0]
    mark = before[(padded * (size - lengths)).argmax()]
    marked = ((before == mark) & padded).sum()
    at_ends = marked + ((lengths == size) & (last == mark)).sum()
    return (marked == padded.sum()) & ((rows == mark).sum() == at_ends) & padded.any()


def alike(given: Any, shape: tuple[int, int]) -> bool:
    """Whether an input has one entry (a number or a vector) for each position of these rows, or one more at the end."""
    return given.dim() in (2, 3) and given.shape[0] == shape[0] and given.shape[1] in (shape[1], shape[1] + 1)


class PaddingTally:
    """What the looks at one call of a loss have found, for one direction of the rows."""

    def __init__(self) -> None:
        self.rows = self._targets = 0
        self._by_id: dict[int, dict[str, Any]] = {}

    def add(self, numbers: list[float]) -> None:
        filler, size, count, targets, outside, marked, constant, shifted, *lengths = map(int, numbers)
        padded = sum(length < size for length in lengths)
        self.rows += len(lengths)
        self._targets += targets
        known = self._by_id.setdefault(filler, _nothing())
        if outside:
            known["impossible"] = True
            return
        # Where the inputs are the targets one step earlier, the first filler of a row is its end.
        known["count"] += count if marked or constant else count - padded
        known["rows"] += len(lengths)
        known["padded"] += padded
        known["lengths"] |= set(lengths)
        known["looks"] += 1
        # What every row ends with, the longest too, may be its end mark, repeated.
        known["confirmed"] += bool(marked or constant or (shifted and padded < len(lengths)))

    def found(self) -> tuple[int, float] | None:
        """The filler and its share of all targets."""
        fillers = [
            (known["count"], filler)
            for filler, known in self._by_id.items()
            if not known["impossible"]
            and known["rows"] >= FEWEST_ROWS
            and len(known["lengths"]) >= FEWEST_LENGTHS
            and known["padded"] >= PADDED_ROWS * known["rows"]
            and known["confirmed"] >= CONFIRMED * known["looks"]
        ]
        if not fillers:
            return None
        count, filler = max(fillers)
        return filler, count / self._targets


def _nothing() -> dict[str, Any]:
    return {"impossible": False, "count": 0, "rows": 0, "padded": 0, "lengths": set(), "looks": 0, "confirmed": 0}
