"""Shapes that do not belong together: a loss that broadcasts, a softmax over the batch."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from ...record import Run
from ...wording import counted
from .. import checks, questions
from .._base import RAISED, Fact, Measured, Sign, place, sign
from .._tables import typical

Shape = tuple[int, ...]


def all_pairs(left: Shape, right: Shape) -> bool:
    """Whether broadcasting makes a result larger than both sides."""
    rank = max(len(left), len(right))
    a, b = ((1,) * (rank - len(side)) + side for side in (left, right))
    return prod(map(max, a, b)) > max(prod(a), prod(b))


def squared(side: Shape, out: Shape | None) -> bool:
    """Whether N outputs became N x N: the other side was as long, along another axis."""
    if out is None or len(out) < 2 or prod(side) < 2 or prod(out) % prod(side):
        return False
    times = prod(out) // prod(side)
    return times > 1 and times in side and any(pair == (times, times) for pair in pairwise(out))


@sign(
    "loss-broadcasts",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    core=True,
    check=checks.LOSS_INPUTS,
    proof="The shapes: the result has more elements than either side.",
    refuters=(
        Fact("One side is a scalar or a row of weights."),
        Fact("Both sides have the same rank, as in pairwise distances on purpose."),
    ),
)
def loss_broadcasts(run: Run) -> Measured | str:
    """Whether the loss compares all pairs, because outputs and targets have different shapes.

    Harmful is a result larger than both sides, as (64, 1) against (64) gives 64 x 64. A scalar target, or weights that
    are spread over rows, broadcast without harm. In hand-written losses a difference of tensors of unlike rank counts;
    pairwise distances on purpose give both sides the same rank.
    """
    found: list[tuple[float, str]] = []
    for call in run.training_losses:
        left, right = call.input.shape, call.target.shape
        if call.input.one_row:
            words = (
                f"{call.fn} gets one row of outputs, repeated for the {left[0] if left else ''} samples of the batch"
            )
            found.append((1.0, words + place(call.site)))
        elif call.broadcast and left is not None and right is not None:
            words = f"{call.fn} compares outputs {list(left)} with targets {list(right)}{place(call.site)}"
            found.append((1.0 if all_pairs(left, right) else 0.0, words))
        else:
            found.append(
                (
                    0.8 if call.broadcast else 0.0,
                    f"outputs and targets of {call.fn} "
                    f"{'have shapes that broadcast' if call.broadcast else 'have matching shapes'}{place(call.site)}",
                )
            )
    for graph in run.graphs:
        found.append((0.0, "no shapes broadcast near the loss"))
        for entry in graph.broadcasts:
            known, op = entry.shapes, entry.op or "an operation"
            shown = f"`{op}`" if entry.op else op
            level = 0.9 if op.lower().startswith(("sub", "rsub", "mse", "l1")) else 0.4
            if len(known) == 2 and len(known[0]) != len(known[1]) and all_pairs(known[0], known[1]):
                found.append((level, f"{shown} near the loss broadcasts {list(known[0])} against {list(known[1])}"))
            elif op == "index":
                found.append(
                    (
                        0.9,
                        f"scores of shape {list(known[0])} near the loss are indexed by the labels of the whole batch",
                    )
                )
            elif len(known) == 1 and squared(known[0], entry.out):
                found.append((level, f"{shown} near the loss broadcasts {list(known[0])} to {list(entry.out or ())}"))
    if not found:
        return "neither loss calls nor the graph were looked at"
    level, words = max(found, key=lambda item: item[0])
    return Measured(level, words + (": every output is compared with every target" if level >= RAISED else ""))


def _as_long_as_the_batch(run: Run, sign: Sign) -> str | None:
    sizes, dim, batch = sign.values["shape"], sign.values["dim"], typical(run, "batch_size")
    known = sign.values["into_loss"] or (batch is not None and sizes[dim] == batch)
    return "its length is the batch's" if known else None


Found = tuple[int, tuple[int, ...]]


def _softmaxes(run: Run) -> list[Found]:
    found = []
    chosen = any(call.kind == "cross-entropy" for call in run.training_losses)  # by the loss function itself
    for graph in run.graphs:
        for entry in graph.softmaxes:
            sizes, dim = entry.shape, entry.dim
            if not sizes or dim is None or not -len(sizes) <= dim < len(sizes):
                continue
            axis = int(dim) % len(sizes)
            # The loss function's own softmax knows where the classes are; only dimension 0 is set by the caller, and
            # one that no such function would take.
            if axis == 0 or (sizes[axis] == 1 and not chosen) or not entry.in_loss:
                found.append((axis, sizes))
    return found


def _time_first(run: Run, sizes: tuple[int, ...]) -> bool:
    """Whether dimension 1 is the batch: the loss has as many rows, or a recurrent layer reads it that way."""
    if len(sizes) < 2:
        return False
    rows = [call.target.shape[0] for call in run.training_losses if call.target.shape]
    recurrent = [m.given for m in run.modules if m.recurrent and m.settings.get("batch_first") is False]
    return (sizes[1] in rows and sizes[0] not in rows) or any(given[:2] == sizes[:2] for given in recurrent)


def _level(one: Found, batch: float | None, classes: float | None, last: bool) -> float:
    dim, sizes = one
    if last and len(sizes) == 2 and sizes[1] == 1 and (batch is None or sizes[0] == batch):
        return 1.0
    if len(sizes) < 2 or dim == len(sizes) - 1:
        return 0.0
    if dim == 0:
        if max(sizes[1:]) < 2 or (batch is not None and sizes[0] != batch):
            return 0.0
        if sizes[1] == sizes[0]:
            return 0.3  # samples against samples, or time before a batch of the same size
        return 1.0 if batch is not None else 0.7
    over_time = len(sizes) == 3 and dim == 1 and classes is not None and sizes[2] == classes != sizes[1]
    return 0.7 if over_time else 0.0


QUERIES = "the queries; the weights are then summed over the keys"


def _axis(dim: int, sizes: tuple[int, ...]) -> str:
    return "the batch" if dim == 0 else "a single score" if sizes[dim] == 1 else "time"


@sign(
    "softmax-over-batch",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The graph: the softmax's dimension, and the shape of what it is given."),
        Fact("That dimension is as long as the batch, or what it makes goes into the loss.", _as_long_as_the_batch),
    ),
    refuters=(
        Fact("A square of samples against samples: contrastive losses."),
        Fact("Time comes first: the other dimension is the batch."),
        Fact("One column that is no output of the model: pooling over instances."),
    ),
)
def softmax_over_batch(run: Run) -> Measured | str:
    """Whether a softmax runs over the batch (or, in sequences of class scores, over time) instead of the classes; or,
    in attention, over the queries instead of the keys that its weights are summed over.

    Over the batch: dimension 0 of a tensor whose first size is the batch and that has other sizes to choose from.
    Pooling over instances gives one column, unless that column is what the loss is given; contrastive losses compare
    every sample with every other, so that either direction of the square of scores will do: healthy. Where time comes
    first, as in classic attention over an encoder's states, dimension 0 is time. A softmax over a single score is 1
    whatever the score.
    """
    if not run.graphs:
        return "the graph behind the loss was not looked at"
    found = _softmaxes(run)
    batch, classes = typical(run, "batch_size"), run.training_targets.classes
    last = any(graph.last_activation.replace("_", "") in ("softmax", "logsoftmax") for graph in run.graphs)
    graded = [(_level(one, batch, classes, last), one) for one in found if not _time_first(run, one[1])]
    pairs = [entry for graph in run.graphs for entry in graph.softmaxes if entry.over_queries]
    graded += [(0.8, (entry.dim or 0, entry.shape)) for entry in pairs[:1]]
    level, (dim, sizes) = max(graded, key=lambda item: item[0], default=(0.0, (0, ())))
    over_queries = bool(pairs) and level == graded[-1][0]
    instead = "of the keys" if over_queries else "of the classes" if last or dim else "of within each sample"
    return Measured(
        level,
        f"softmax runs over dimension {dim} of a tensor of shape {list(sizes)} "
        f"({QUERIES if over_queries else _axis(dim, sizes)}) instead {instead}"
        if level >= RAISED
        else f"{counted(len(found), 'softmax call')} checked: none runs over the batch"
        if found
        else "no softmax runs outside the loss function",
        values={"dim": dim, "shape": list(sizes), "into_loss": last and not over_queries},
    )
